// The source file that precompiled.hpp is compiled for: CMake wants one.
