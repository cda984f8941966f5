# Prints a text of some sentences over 60 words, which depends on `seed`.
BEGIN {
  srand(seed)
  for (sentence = 0; sentence < 9; sentence++) {
    line = "The"
    for (word = 0; word < 4 + rand() * 9; word++) {
      at = int(rand() * 60)
      line = line " " substr("baceidofug", at % 10 + 1, 2) substr("lymonersta", int(at / 6) + 1, 3)
    }
    print line "."
  }
}
