"""make_pprof.py SAMPLES SEED: a raw profile.proto with four sample types to stdout.

Stacks are paths of a random call graph, about 35 deep, so that they share callers as
those of real programs do. The same arguments give the same bytes.
"""
import random
import sys

samples, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))


def varint(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def field(number, value):
    return varint(number << 3) + varint(value)


def message(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


FUNCTIONS, LOCATIONS = 3000, 9000
strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space"]
strings += ["example.com/svc/pkg%d.(*Type%d).method%d" % (i % 40, i % 300, i) for i in range(FUNCTIONS)]
callees = [[rng.randrange(FUNCTIONS) for _ in range(1 + rng.randrange(3))] for _ in range(FUNCTIONS)]
out = sys.stdout.buffer
for t, u in ((1, 2), (3, 4), (5, 2), (6, 4)):
    out.write(message(1, field(1, t) + field(2, u)))
for _ in range(samples):
    f, path = rng.randrange(8), []
    for _ in range(20 + rng.randrange(30)):
        path.append(f * 3 + rng.randrange(3) + 1)
        f = callees[f][rng.randrange(len(callees[f]))]
    body = message(1, b"".join(varint(x) for x in reversed(path)))
    n = 1 + rng.randrange(4)
    body += message(2, b"".join(varint(x) for x in (n, n * 512, n // 2, n // 2 * 512)))
    out.write(message(2, body))
for i in range(LOCATIONS):
    out.write(message(4, field(1, i + 1) + field(3, 0x400000 + i * 16) + message(4, field(1, i // 3 + 1) + field(2, i % 3 + 10))))
for i in range(FUNCTIONS):
    out.write(message(5, field(1, i + 1) + field(2, i + 7) + field(3, i + 7)))
for s in strings:
    out.write(message(6, s.encode()))
