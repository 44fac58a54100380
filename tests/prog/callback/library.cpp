// A library that knows nothing of rota and calls its user back, as Asio's run does.
extern "C" int callback_call(int (*f)(void*), void* arg);
extern "C" int callback_call(int (*f)(void*), void* arg) {
    const int result = f(arg);
    asm volatile("" ::: "memory");  // no tail call: this frame is what is looked for
    return result + 1;
}
