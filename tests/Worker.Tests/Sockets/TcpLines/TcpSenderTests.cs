using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sockets.TcpLines;
using Worker.Tests.Sources;

namespace Worker.Tests.Sockets.TcpLines;

public sealed class TcpSenderTests : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public TcpSenderTests() => _listener.Start();

    [Fact]
    public async Task Send_AnswersInAnyOrder_AreMatchedToTheirLines()
    {
        using IMessageSender sender = await CreateAsync(acknowledge: true);
        Task<List<string>> serving = ServeAsync(lines: 4, "ok 3\nerror 2 malformed-json\nok 1\nok 4\n");

        string?[] errors = await sender.SendAsync(Messages("a", "b", "c", "d"), CancellationToken.None);

        errors.ShouldBe([null, "malformed-json", null, null]);
        (await serving).ShouldBe(["a", "b", "c", "d"]);
    }

    [Fact]
    public async Task Send_SecondBatch_ContinuesTheNumbers()
    {
        using IMessageSender sender = await CreateAsync(acknowledge: true);
        Task serving = ServeAsync(lines: 3, "ok 1\nok 2\nerror 3 too-long\n");

        (await sender.SendAsync(Messages("a"), CancellationToken.None)).ShouldBe([null]);
        (await sender.SendAsync(Messages("b", "c"), CancellationToken.None)).ShouldBe([null, "too-long"]);

        await serving;
    }

    [Fact]
    public async Task Send_WorkerEndsTheConnection_ReportsUnacknowledgedLines()
    {
        using IMessageSender sender = await CreateAsync(acknowledge: true);
        Task serving = ServeAsync(lines: 3, "ok 2\n");

        string?[] errors = await sender.SendAsync(Messages("a", "b", "c"), CancellationToken.None);

        errors[1].ShouldBeNull();
        errors[0]!.ShouldStartWith("not acknowledged: ");
        errors[2]!.ShouldStartWith("not acknowledged: ");
        (await sender.SendAsync(Messages("d"), CancellationToken.None))[0]!.ShouldStartWith("not acknowledged: ");
        await serving;
    }

    [Theory]
    [InlineData("error 0 too-many-connections\n", "too-many-connections")]
    [InlineData("HTTP/1.1 400 Bad Request\n", "HTTP/1.1 400 Bad Request")]
    [InlineData("ok 7\n", "ok 7")]
    public async Task Send_AnswerToNoLine_IsReportedAsTheError(string answer, string expected)
    {
        using IMessageSender sender = await CreateAsync(acknowledge: true);
        Task serving = ServeAsync(lines: 1, answer);

        (await sender.SendAsync(Messages("a"), CancellationToken.None))[0]!.ShouldContain(expected);

        await serving;
    }

    [Fact]
    public async Task Send_WithoutAcknowledgements_WaitsForNothing()
    {
        using IMessageSender sender = await CreateAsync(acknowledge: false);
        Task<List<string>> serving = ServeAsync(lines: 2, answers: string.Empty);

        (await sender.SendAsync(Messages("a", "b"), CancellationToken.None)).ShouldBe([null, null]);

        (await serving).ShouldBe(["a", "b"]);
        sender.Accepted.ShouldContain("acknowledgements are off");
    }

    [Fact]
    public async Task Create_PortZero_IsAUsageError()
    {
        IConfiguration configuration = Configuration("0.0.0.0:0", acknowledge: false);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => Senders.OpenAsync(new TcpLinesSourceFeature(), configuration));

        exception.ExitCode.ShouldBe(ExitCodes.Usage);
    }

    public void Dispose() => _listener.Dispose();

    private static IConfiguration Configuration(string endpoint, bool acknowledge) => new ConfigurationBuilder()
        .AddInMemoryCollection([new("Sources:TcpLines:Endpoint", endpoint), new("Sources:TcpLines:Acknowledge", acknowledge.ToString())])
        .Build();

    private static OutgoingMessage[] Messages(params string[] bodies) => [.. bodies.Select(body => new OutgoingMessage("id", Encoding.UTF8.GetBytes(body)))];

    private Task<IMessageSender> CreateAsync(bool acknowledge) =>
        Senders.OpenAsync(new TcpLinesSourceFeature(), Configuration(_listener.LocalEndpoint.ToString()!, acknowledge));

    /// <summary>Reads that many lines, sends each given answer as soon as its line may have arrived, and closes the connection.</summary>
    private async Task<List<string>> ServeAsync(int lines, string answers)
    {
        using TcpClient client = await _listener.AcceptTcpClientAsync();
        NetworkStream stream = client.GetStream();
        using StreamReader reader = new(stream);
        List<string> read = [];
        Queue<string> waiting = new(answers.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        while (read.Count < lines)
        {
            read.Add(await reader.ReadLineAsync() ?? throw new InvalidOperationException("The sender ended early."));
            while (waiting.TryPeek(out string? answer) && (read.Count == lines || answer == $"ok {read.Count}"))
            {
                await stream.WriteAsync(Encoding.ASCII.GetBytes($"{waiting.Dequeue()}\n"));
            }
        }

        return read;
    }
}
