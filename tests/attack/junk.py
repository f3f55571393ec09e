"""Values that nobody expects, put anywhere into JSON; bytes that were flipped, cut or doubled."""

import copy


def junk(rng):
    """A value of some other kind, or far too large."""
    values = [
        *(None, True, False, 0, 1, -1, 2, 7, 1.5, -0.5, 2**31, 2**40, 2**63, -(2**63), 10**30),
        *("", "x", "\x1b[2J", "a\nb", "1", "n" * 5000, float("nan"), float("inf")),
        *([], {}, [None], [0], [[]], [1, 2], ["a"], {"a": 1}, {"array": "absent"}, {"tuple": 3}),
        *({"dict": [[[], 1]]}, {"float": "0x"}, {"status": 1}, {"history": [{}]}, {"texts": []}),
        *({"loss": ["logistic", {}]}, {"space": ["Polynomial", {}, {}]}, nested(60), nested(150)),
    ]
    return values[rng.integers(len(values))]


def nested(depth):
    """Lists in lists."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


def spoil(value, rng):
    """Return JSON with one place in it replaced, removed, doubled or taken from elsewhere."""
    value = copy.deepcopy(value)
    holder, key = _somewhere(value, rng)
    if holder is None:
        return junk(rng)
    match rng.integers(4):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1:
            other_holder, other_key = _somewhere(value, rng)
            holder[key] = copy.deepcopy(other_holder[other_key])
        case 2 if isinstance(holder, list):
            holder.insert(int(rng.integers(len(holder) + 1)), junk(rng))
        case _:
            holder[key] = junk(rng)
    return value


def _somewhere(value, rng):
    """A random place: the dictionary or list it is in, and the key."""
    holder = key = None
    while isinstance(value, (dict, list)) and len(value):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        holder, key = value, keys[rng.integers(len(keys))]
        value = holder[key]
        if rng.random() < 0.35:
            break
    return holder, key


def spoilt_bytes(content, rng):
    """Some bytes flipped, the end cut off, a part doubled, or zeros in the middle."""
    content = bytearray(content)
    place = int(rng.integers(len(content))) if content else 0
    match rng.integers(4):
        case 0:
            for at in rng.integers(len(content), size=rng.integers(1, 6)):
                content[at] = rng.integers(256)
        case 1:
            del content[place:]
        case 2:
            content[place:place] = content[place : place + int(rng.integers(1, 200))]
        case _:
            content[place : place + int(rng.integers(1, 50))] = bytes(int(rng.integers(0, 50)))
    return bytes(content)
