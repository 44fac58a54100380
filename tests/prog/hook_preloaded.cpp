// The same program without the library, which its test preloads.
#include "hook.cpp"
