// Pins the object by opening it once more and never closing it.
#include "sys/call/own_object.hpp"

#include <dlfcn.h>
#include <link.h>

// Weak: a statically linked program has no use for it, and must get no warning from the linker.
#pragma weak dlopen

namespace rota::rt {

namespace {

// Lies in this object. A function's address need not: it may be that of another copy.
const char own_place = 0;

// Null: the program itself, or an object that the dynamic linker does not know.
const char* name_of_own_object() {
    Dl_info info{};
    link_map* map = nullptr;
    if (::dladdr1(&own_place, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
        return nullptr;
    return map != nullptr && map->l_name != nullptr && *map->l_name != '\0' ? map->l_name : nullptr;
}

}  // namespace

// The dynamic linker finds a loaded object by its name in the list, without reading the file, which
// may be gone. It searches in the caller's namespace (dlmopen), and the caller is this object.
void keep_own_object_loaded() {
    const char* const name = name_of_own_object();
    if (name != nullptr && &::dlopen != nullptr)
        (void)::dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace rota::rt
