"""Verdicts on 10,000 random vote vectors, by the published trees written as they are published: nested conditions.

    /usr/bin/python3 verdicts.py > verdicts.json

The vectors come from a linear congruential generator (Numerical Recipes, modulo 2 to the 32nd), so that both sides make the
same ones and only the answers are stored: one letter a vector, Low, More information needed or High.
Unknown: every indicator that is not known is tried both ways; a verdict stands when all ways lead to it.
"""
import itertools
import json

GROUPS = ["perennial", "annual", "livestock", "timber"]
NAMES = [
    "forest_2020", "commodities_2020", "disturbance_before_2020", "disturbance_after_2020", "primary_forest_2020",
    "regenerating_forest_2020", "planted_forest_2020", "planted_forest_after_2020", "tree_cover_after_2020",
    "agriculture_after_2020", "logging_concession_2020", "pasture_2020",
]
USED = {"perennial": [0, 1, 2, 3], "annual": [0, 1, 3], "livestock": [0, 11, 3], "timber": [1, 4, 5, 6, 7, 8, 9, 10]}
# Layers of a plot mostly agree: one of these for each question.
POOLS = ["yyyn", "yyyu", "nnnn", "nnnu"]
VECTORS = 10_000


def perennial(i):
    if not i[0]:
        return "L"
    if i[1]:
        return "L"
    if i[2]:
        return "L"
    return "H" if i[3] else "M"


def annual(i):
    if not i[0] or i[1]:
        return "L"
    return "H" if i[3] else "M"


def livestock(i):
    return annual({0: i[0], 1: i[11], 3: i[3]})


def timber(i):
    forest = i[4] or i[5]
    if i[1]:
        return "L"
    if i[6] and not i[9]:
        return "L"
    if (forest or i[6]) and i[9]:
        return "H"
    if forest:
        if i[7]:
            return "H"
        if i[8] or i[10]:
            return "L"
        return "M"
    return "L"


TREES = {"perennial": perennial, "annual": annual, "livestock": livestock, "timber": timber}


def indicator(votes):
    if "y" in votes:
        return True
    if votes and "u" not in votes:
        return False
    return None


def verdict(group, votes):
    states = {name: indicator(votes[name]) for name in USED[group]}
    unknown = [name for name, state in states.items() if state is None]
    found = set()
    for answers in itertools.product([False, True], repeat=len(unknown)):
        case = {**states, **dict(zip(unknown, answers))}
        found.add(TREES[group](case))
        # Followed only where losses after 2020 were looked at.
        if group == "perennial" and case[0] and not case[1] and case[2] and 3 in unknown:
            found.add("M")
    return found.pop() if len(found) == 1 else "M"


class Random:
    state = 20201231

    def below(self, n):
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return self.state * n // 2**32


def main():
    random = Random()
    letters = []
    for _ in range(VECTORS):
        group = GROUPS[random.below(4)]
        votes = []
        for _ in NAMES:
            pool = POOLS[random.below(4)]
            votes.append([pool[random.below(4)] for _ in range(random.below(4))])
        letters.append(verdict(group, votes))
    print(json.dumps({"script": "verdicts.py", "verdicts": "".join(letters)}))


main()
