#!/bin/sh
# External programs that misbehave after their first evaluation: sh program.sh WHAT
while read -r word rest; do
    [ "$word" = begin ] && break
done
echo 0 0
read -r value
case $1 in
    segfaults) kill -SEGV $$ ;;
    gives_up) echo "no licence" >&2; exit 3 ;;
    babbles) echo "a point: 1 2"; read -r value ;;
    asks_for_too_much) echo "batch 99999999999999999999"; read -r value ;;
    never_reads) while :; do echo 1 2; done ;;
    complains) while :; do echo "nothing works" >&2; done ;;
    writes_one_long_line) head -c 3000000 /dev/zero | tr '\0' 1; sleep 1000 ;;
    hangs) sleep 1000 ;;
    kills_the_run) kill -KILL $PPID; sleep 1000 ;;
    leaves_others) setsid sleep 1000 & sleep 1000 & exit 0 ;;
esac
