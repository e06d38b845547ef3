#!/usr/bin/env julia
# A hill climber with an adaptive step, for timefair: `use: "external:julia climber.jl"`.
#
# Parameters: step (0.25), the largest move over the width of the bounds; offspring (1), points
# that are tried at a time. It ends when the step has become tiny.

"The values of points, by timefair; the end of its input ends this process."
function ask(points)
    length(points) > 1 && println("batch ", length(points))
    foreach(x -> println(join(x, " ")), points)
    flush(stdout)
    map(points) do _
        eof(stdin) && exit(0)
        parse(Float64, readline(stdin))
    end
end

"Numbers in [0, 1) by the generator xorshift128 (Marsaglia 2003), the same in any language."
function numbers(seed::UInt64)
    x, y = 0x075bcd15 ⊻ (seed % UInt32), 0x159a55e5 ⊻ ((seed >> 32) % UInt32)
    z, w = 0x1f123bb5, 0x05491333
    function ()
        t = x ⊻ (x << 11)
        x, y, z = y, z, w
        w ⊻= (w >> 19) ⊻ t ⊻ (t >> 8)
        w / 4294967296.0
    end
end

function climb(lower, upper, seed; step=0.25, offspring=1)
    uniform = numbers(seed)
    x = [lo + (up - lo) * uniform() for (lo, up) in zip(lower, upper)]
    fx = ask([x])[1]
    near(xi, lo, up) = min(max(xi + (up - lo) * step * (2 * uniform() - 1), lo), up)
    while step > 1e-9
        tries = [[near(each...) for each in zip(x, lower, upper)] for _ in 1:offspring]
        better = false
        for (y, fy) in zip(tries, ask(tries))
            if fy < fx
                x, fx, better = y, fy, true
            end
        end
        step *= better ? 1.5 : 0.9
    end
end

header = Dict{String,Vector{SubString{String}}}()
for line in eachline(stdin)
    line == "begin" && break
    words = split(replace(line, r"^parameter " => ""))
    header[words[1]] = words[2:end]
end
only_of(key, default) = parse(typeof(default), get(header, key, [string(default)])[1])
climb(
    parse.(Float64, header["lower"]), parse.(Float64, header["upper"]), only_of("seed", UInt64(0));
    step=only_of("step", 0.25), offspring=only_of("offspring", 1),
)
