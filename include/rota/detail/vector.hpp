// std::vector, with the layout that the library was compiled with.
//
// In a program that defines _GLIBCXX_DEBUG std::vector is another, larger type. The program and the
// library exchange the ordinary vector. It is a base of the debug vector, which converts to it. In
// the other direction, `std::vector<T> v(of_rota)` makes the program's own vector.
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
