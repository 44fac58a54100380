// Pipeline: stages that run side by side, each fed by the channel of the one before.
//
// Go: a stage is a function that starts a goroutine and returns the channel which that goroutine
// fills and closes (`func squares(in <-chan int) <-chan int`). So here: a stage takes a
// rota::recv_chan, returns another, and the compiler keeps anybody else from sending into it.
//
// A pipeline whose end has seen enough must let its stages go: a goroutine that waits for ever to
// send is a leak. Every stage therefore waits for "sent" or "no longer wanted", and the scope,
// which owns the stages, waits until they have ended.
//
// What to see: four stages, of which the last stops the first three after five values.
// Last line: squares divisible by 3: 9 36 81 144 225
#include <rota/chan.hpp>
#include <rota/context.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>

#include <cstdio>

namespace {

// Sends v; false if nobody wants it any more.
bool send_or_stop(const rota::context& ctx, const rota::chan<int>& to, int v) {
    return rota::select(rota::on_recv(ctx.done()), rota::on_send(to, v)) == 1;
}

rota::recv_chan<int> numbers(rota::scope& stages) {
    auto out = rota::make_chan<int>();
    stages.go([out, ctx = stages.ctx()] {
        const rota::defer at_end([&] { out.close(); });
        for (int n = 1; send_or_stop(ctx, out, n); ++n) {
        }
    });
    return out;
}

rota::recv_chan<int> squares(rota::scope& stages, rota::recv_chan<int> in) {
    auto out = rota::make_chan<int>();
    stages.go([in, out, ctx = stages.ctx()] {
        const rota::defer at_end([&] { out.close(); });
        for (int n : in) {
            if (!send_or_stop(ctx, out, n * n)) return;
        }
    });
    return out;
}

rota::recv_chan<int> divisible_by(rota::scope& stages, int divisor, rota::recv_chan<int> in) {
    auto out = rota::make_chan<int>();
    stages.go([in, out, divisor, ctx = stages.ctx()] {
        const rota::defer at_end([&] { out.close(); });
        for (int n : in) {
            if (n % divisor == 0 && !send_or_stop(ctx, out, n)) return;
        }
    });
    return out;
}

void print_first_five() {
    rota::scope stages;
    auto found = divisible_by(stages, 3, squares(stages, numbers(stages)));
    std::printf("squares divisible by 3:");
    for (int i = 0; i < 5; ++i) std::printf(" %d", found.recv().value());
    std::printf("\n");
    stages.cancel();
}  // all stages have ended here

}  // namespace

int main() { rota::run(print_first_five); }
