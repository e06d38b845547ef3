"""Damages to the text of a file."""

INSERTED = ["\0", "%", "\n", ",", "9" * 30, "-", "nan", "inf", "1e400", "'", "_", "{", "[" * 3000]

OPERATIONS = ["cut", "flip", "insert", "drop a line", "double a line", "delete"]


def damaged(text, operation, at, how):
    place = at % (len(text) + 1)
    lines = text.splitlines(keepends=True)
    row = at % max(len(lines), 1)
    if operation == "cut":
        return text[:place]
    if operation == "flip" and place < len(text):
        return text[:place] + chr(ord(text[place]) ^ (1 << how % 7)) + text[place + 1 :]
    if operation == "insert":
        return text[:place] + INSERTED[how % len(INSERTED)] + text[place:]
    if operation == "drop a line":
        return "".join(lines[:row] + lines[row + 1 :])
    return "".join(lines[: row + 1] + lines[row:]) if lines else text
