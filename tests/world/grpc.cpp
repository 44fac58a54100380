// gRPC, its synchronous interface: a stub's calls and a server in the same process, with the
// server's own threads. What generated code does for messages is done here for bytes.
#include "world.hpp"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <grpcpp/impl/codegen/method_handler.h>
#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/service_type.h>

namespace {

using bytes = grpc::ByteBuffer;
using method = grpc::internal::RpcMethod;
constexpr const char* name = "/world.Echo/Say";

bytes of(const std::string& text) {
    const grpc::Slice slice(text);
    return {&slice, 1};
}

std::string text_of(const bytes& b) {
    std::vector<grpc::Slice> slices;
    std::string text;
    if (!b.Dump(&slices).ok()) return "?";
    for (const grpc::Slice& s : slices)
        text.append(reinterpret_cast<const char*>(s.begin()), s.size());
    return text;
}

class echo final : public grpc::Service {
  public:
    echo() {
        AddMethod(new grpc::internal::RpcServiceMethod(
            name, method::NORMAL_RPC,
            new grpc::internal::RpcMethodHandler<echo, bytes, bytes>(
                [](echo*, grpc::ServerContext*, const bytes* in, bytes* out) {
                    *out = of("echo " + text_of(*in));
                    return grpc::Status::OK;
                },
                this)));
    }
};

std::shared_ptr<grpc::Channel> channel;

class calls : public world::client {
  public:
    explicit calls(int index)
        : index_(std::to_string(index)), say_(name, method::NORMAL_RPC, channel) {}

    long op() override {
        const std::string question = index_ + ":" + std::to_string(++next_);
        grpc::ClientContext context;
        bytes answer;
        const grpc::Status status = grpc::internal::BlockingUnaryCall<bytes, bytes>(
            channel.get(), say_, &context, of(question), &answer);
        world::require(status.ok(), status.error_message());
        world::require(text_of(answer) == "echo " + question, "the answer to another call");
        return 1;
    }

  private:
    const std::string index_;
    const method say_;
    long next_ = 0;
};

}  // namespace

int main() {
    echo service;
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (server == nullptr) {
        std::printf("wrong: gRPC: the server does not start\n");
        return 1;
    }
    channel = grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                  grpc::InsecureChannelCredentials());
    const int status = world::measure("gRPC", {.workers = 100}, world::each<calls>());
    channel.reset();
    server->Shutdown();
    return status;
}
