using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;

namespace Worker.Tests.CommandLine;

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
}
