// std::vector, with the layout that the library was compiled with.
//
// A program that defines _GLIBCXX_DEBUG has another std::vector, which is larger. What passes
// between the program and the library is the ordinary one there: a base of the other, which
// converts to it. From it, `std::vector<T> v(of_rota)` makes the program's own.
#pragma once

#include <vector>

namespace rota::detail {

#if defined(_GLIBCXX_DEBUG)
template <class T>
using vector = std::__cxx1998::vector<T>;
#else
template <class T>
using vector = std::vector<T>;
#endif

}  // namespace rota::detail
