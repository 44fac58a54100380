// libpython: all workers call a function of Python, each in turn with the interpreter's lock (GIL).
//
// In the second row Python calls back into the worker, which waits there without the lock. Python
// keeps a record of the thread: the goroutine must go on on the same one, which a pin sees to.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "world.hpp"

namespace {

PyObject* function = nullptr;

PyObject* wait_here(PyObject*, PyObject*) {
    const rota::runtime::pin here;
    Py_BEGIN_ALLOW_THREADS;
    rota::sleep_for(std::chrono::microseconds(200));
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

PyMethodDef wait_method = {"wait_here", wait_here, METH_NOARGS, nullptr};

template <bool Waits>
class calls : public world::client {
  public:
    explicit calls(int index) : n_(index * 1'000'000L) {}

    long op() override {
        std::optional<rota::runtime::pin> here;
        if (Waits) here.emplace();  // from before the record is made until it is gone
        const PyGILState_STATE state = ::PyGILState_Ensure();
        PyObject* const result = ::PyObject_CallFunction(function, "li", ++n_, Waits ? 1 : 0);
        const long got = result != nullptr ? ::PyLong_AsLong(result) : -1;
        Py_XDECREF(result);
        ::PyGILState_Release(state);
        world::require(got == n_ * n_ + 45, "the answer to another call");
        return 1;
    }

  private:
    long n_;
};

}  // namespace

int main() {
    ::Py_Initialize();
    PyObject* const names = ::PyModule_GetDict(::PyImport_AddModule("__main__"));
    ::PyDict_SetItemString(names, "wait_here", ::PyCFunction_New(&wait_method, nullptr));
    ::PyRun_SimpleString("def work(n, waits):\n"
                         "    if waits: wait_here()\n"
                         "    return n * n + sum(range(10))\n");
    function = ::PyDict_GetItemString(names, "work");
    PyThreadState* const state = ::PyEval_SaveThread();
    const std::size_t stack = std::size_t{1} << 20;  // libpython has frames of 65 KB
    int status =
        world::measure("libpython", {.workers = 50, .stack = stack}, world::each<calls<false>>());
    status |=
        world::measure("libpython, waits", {.workers = 50, .stack = stack, .announced = false},
                       world::each<calls<true>>());
    ::PyEval_RestoreThread(state);
    return status;
}
