// Lua: a state of each worker; texts, coroutines, and errors that longjmp out of C functions, one
// of which waits.
#include "world.hpp"

#include <lua.hpp>

namespace {

constexpr const char* script = R"(
    function work(n)
        local parts = {}
        local numbers = coroutine.wrap(function() for i = 1, 20 do coroutine.yield(n + i) end end)
        for i = 1, 20 do parts[i] = string.format("%d", numbers()) end
        local ok, why = pcall(refuse, n)
        return table.concat(parts, ","), ok, why
    end
)";

// Waits, as a goroutine does, and leaves by Lua's error.
int refuse(lua_State* l) {
    rota::sleep_for(std::chrono::microseconds(100));
    return ::luaL_error(l, "refused %d", static_cast<int>(::lua_tointeger(l, 1)));
}

class states : public world::client {
  public:
    explicit states(int index) : n_(index * 1000) {
        ::luaL_openlibs(l_.get());
        lua_register(l_.get(), "refuse", refuse);
        world::require(luaL_dostring(l_.get(), script) == LUA_OK, "the script");
    }

    long op() override {
        std::string wanted;
        ++n_;
        for (int i = 1; i <= 20; ++i) wanted += (i == 1 ? "" : ",") + std::to_string(n_ + i);
        ::lua_getglobal(l_.get(), "work");
        ::lua_pushinteger(l_.get(), n_);
        world::require(::lua_pcall(l_.get(), 1, 3, 0) == LUA_OK, "the call");
        const char* const why = ::lua_tostring(l_.get(), -1);
        world::require(wanted == ::lua_tostring(l_.get(), -3), "the text of another state");
        world::require(::lua_toboolean(l_.get(), -2) == 0 && why != nullptr &&
                           "refused " + std::to_string(n_) == why,
                       "the error of another state");
        ::lua_settop(l_.get(), 0);
        return 1;
    }

  private:
    const std::unique_ptr<lua_State, decltype(&::lua_close)> l_{::luaL_newstate(), ::lua_close};
    int n_;
};

}  // namespace

int main() {
    return world::measure("Lua", {.workers = 200, .announced = false}, world::each<states>());
}
