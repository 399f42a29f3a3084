"""make_folded.py STACKS DEPTH SEED: folded text of distinct stacks to stdout."""
import random
import sys

n, depth, rng = int(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
names = ["f_%x" % rng.getrandbits(rng.choice((8, 16, 32))) for _ in range(3000)]
seen = set()
while len(seen) < n:
    d = max(2, int(rng.gauss(depth, depth / 5)))
    at, stack = rng.randrange(4), []
    for level in range(d):
        at = (at * 31 + rng.choice((1, 1, 1, 2, 3)) + level) % len(names)
        stack.append(names[at])
    line = ";".join(stack)
    if line not in seen:
        seen.add(line)
        print(line, rng.randrange(1, 100))
