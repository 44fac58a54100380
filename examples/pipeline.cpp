// Pipeline: stages run side by side; each reads from the channel of the preceding stage.
//
// Go: a stage is a function that starts a goroutine and returns the channel which that goroutine
// fills and closes (`func squares(in <-chan int) <-chan int`). It is the same here: a stage takes a
// rota::recv_chan and returns another, and the compiler rejects a send into it from outside.
//
// When the end of a pipeline has read enough, its stages must end: a goroutine that waits for ever
// to send is a leak. So every stage waits for "sent" or "no longer wanted". The scope owns the
// stages, and waits until they have ended.
//
// What to see: four stages; the last stops the first three after five values.
// Last line: squares divisible by 3: 9 36 81 144 225
#include <rota/chan.hpp>
#include <rota/context.hpp>
#include <rota/go.hpp>
#include <rota/select.hpp>

#include <cstdio>

namespace {

// Sends v; false if the reader no longer wants values.
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
}  // every stage has ended here

}  // namespace

int main() { rota::run(print_first_five); }
