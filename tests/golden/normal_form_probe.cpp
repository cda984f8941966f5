// The normal form of each text from stdin; texts end with a NUL there and in the output.
// With --categories: the general category of each code point from 1 on, in that form, as ICU's version of
// Unicode has it.
#include <unicode/uchar.h>

#include <iostream>
#include <string>

#include "metric/squad.h"

int main(int argc, char**) {
  if (argc > 1) {
    for (UChar32 c = 1; c <= UCHAR_MAX_VALUE; ++c)
      std::cout << u_getPropertyValueName(UCHAR_GENERAL_CATEGORY, u_charType(c), U_SHORT_PROPERTY_NAME)
                << '\0';
    return 0;
  }
  for (std::string text; std::getline(std::cin, text, '\0');)
    std::cout << bert::metric::normalized_answer(text) << '\0';
}
