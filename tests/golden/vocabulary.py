"""A small English vocabulary with which real sentences tokenize sensibly: words, endings, letters, digits,
marks."""
import string

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
MARKS = list(".,;:!?'\"-()&%$/")
WORDS = """the of and to in is was he she it for on are as with his her they at be this from or had by not but what
all were we when your can said there use an each which do how their if will up other about out many then them these so
some would make like him into time has look two more go see no way could people my than first been call who now find
long down day did get come made may part over new sound take only little work know place year live back give most very
good book house river city paris london france capital cat dog man woman rain sun water great bad film story light old
night love world hand music king queen""".split()
ENDINGS = "s ed ing er ly est ion y al en ness ful less ment able ish n't th on in es or an".split()


def small_vocabulary():
    alphabet = list(string.ascii_lowercase + string.digits)
    pieces = [*SPECIALS, *MARKS, *alphabet, *("##" + letter for letter in alphabet), *WORDS,
              *("##" + ending for ending in ENDINGS if len(ending) > 1)]
    return list(dict.fromkeys(pieces))


def numbered_vocabulary(size):
    """For models whose inputs are ids only."""
    return [*SPECIALS, *(f"piece{number}" for number in range(len(SPECIALS), size))]
