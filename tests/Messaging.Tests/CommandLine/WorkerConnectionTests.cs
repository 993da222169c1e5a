using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.CommandLine;

public sealed class WorkerConnectionTests
{
    [Fact]
    public async Task Read_AWorkerThatDoesNotAnswer_SaysSoAndNotThatNoneIsThere()
    {
        using TcpListener silent = new(IPAddress.Loopback, 0);
        silent.Start();
        using WorkerConnection worker = WorkerConnection.To($"http://{silent.LocalEndpoint}", new ConfigurationBuilder().Build());
        worker.AnswerLimit = TimeSpan.FromMilliseconds(100);

        StartupException refusal = await Should.ThrowAsync<StartupException>(() => worker.ReadAsync("/healthz/live", CancellationToken.None));

        refusal.Message.ShouldBe($"The worker at http://{silent.LocalEndpoint}/ did not answer within 100 ms: it is stuck, or its machine is busy.");
        refusal.ExitCode.ShouldBe(ExitCodes.Unavailable);
    }

    [Fact]
    public void To_AnAddressWithAPassword_IsRefusedWithoutShowingIt()
    {
        StartupException refusal =
            Should.Throw<StartupException>(() => WorkerConnection.To("http://user:canary@127.0.0.1:8080", new ConfigurationBuilder().Build()));

        refusal.Message.ShouldBe("--url http://***@127.0.0.1:8080: must be an address such as http://127.0.0.1:8080, without a user.");
        refusal.ExitCode.ShouldBe(ExitCodes.Usage);
    }
}
