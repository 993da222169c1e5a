using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using Integration.Tests.Worker;

namespace Integration.Tests.Faults;

public sealed class TcpFaultProxyTests : IAsyncLifetime
{
    private static readonly TimeSpan Brief = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    private readonly LineServer _server = new("answer\n");
    private TcpFaultProxy _proxy = null!;

    public ValueTask InitializeAsync()
    {
        _proxy = new TcpFaultProxy(_server.Address);
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        await _proxy.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task None_RequestAndAnswer_PassAndAreCounted()
    {
        using TcpClient client = await ConnectAsync();

        await SendAsync(client, "request\n");

        (await ReadAsync(client, 7)).ShouldBe("answer\n");
        _server.Lines.ShouldBe(["request"]);
        (_proxy.Accepted, _proxy.Open, _proxy.Strikes).ShouldBe((1, 1, 0));
        (_proxy.BytesToServer, _proxy.BytesToClient).ShouldBe((8, 7));
    }

    [Fact]
    public async Task Refuse_NewAndOpenConnections_AreRefusedAndReset()
    {
        using TcpClient open = await ConnectAsync();
        await SendAsync(open, "first\n");
        await ReadAsync(open, 7);

        _proxy.Set(new TcpFault.Refuse());

        (await ErrorAsync(() => ReadAsync(open, 1))).ShouldBe(SocketError.ConnectionReset);
        (await ErrorAsync(ConnectAsync)).ShouldBe(SocketError.ConnectionRefused);

        _proxy.Clear();
        using TcpClient again = await ConnectAsync();
        await SendAsync(again, "second\n");
        (await ReadAsync(again, 7)).ShouldBe("answer\n");
        _proxy.Accepted.ShouldBe(2);
    }

    [Fact]
    public async Task Hang_OpenConnection_PassesNothingUntilCleared()
    {
        using TcpClient client = await ConnectAsync();
        await SendAsync(client, "first\n");
        await ReadAsync(client, 7);
        _proxy.Set(new TcpFault.Hang());
        await SendAsync(client, "request\n");
        Task<string> answer = ReadAsync(client, 7);

        await Eventually.BecomesTrueAsync(() => _proxy.Hanging == 1, "the proxy holds the request back");
        answer.IsCompleted.ShouldBeFalse();
        _server.Lines.ShouldBe(["first"]);

        _proxy.Clear();
        (await answer).ShouldBe("answer\n");
    }

    [Fact]
    public async Task ResetAfter_AnswerIsLonger_PassesTheBytesThenResets()
    {
        _proxy.Set(new TcpFault.ResetAfter(3));
        using TcpClient client = await ConnectAsync();

        await SendAsync(client, "request\n");

        (await ReadAsync(client, 3)).ShouldBe("ans");
        (await ErrorAsync(() => ReadAsync(client, 1))).ShouldBe(SocketError.ConnectionReset);
        _proxy.Strikes.ShouldBe(1);
    }

    [Fact]
    public async Task DropAnswer_Once_ServerActedAndClientGotNothingThenAllPasses()
    {
        _proxy.Set(new TcpFault.DropAnswer(), times: 1);
        using TcpClient first = await ConnectAsync();
        await SendAsync(first, "committed\n");

        (await ErrorAsync(() => ReadAsync(first, 1))).ShouldBe(SocketError.ConnectionReset);
        _server.Lines.ShouldBe(["committed"]);
        _proxy.BytesToClient.ShouldBe(0);

        using TcpClient second = await ConnectAsync();
        await SendAsync(second, "retried\n");
        (await ReadAsync(second, 7)).ShouldBe("answer\n");
        _proxy.Strikes.ShouldBe(1);
        _proxy.Fault.ShouldBeOfType<TcpFault.None>();
    }

    [Fact]
    public async Task Drip_Answer_ComesPieceByPieceUntilCleared()
    {
        _proxy.Set(new TcpFault.Drip(1, Brief));
        using TcpClient client = await ConnectAsync();
        var taken = Stopwatch.StartNew();

        await SendAsync(client, "request\n");

        (await ReadAsync(client, 2)).ShouldBe("an");
        // A lower bound on the proxy's own wait, not a measure of speed.
        taken.Elapsed.ShouldBeGreaterThan(Brief * 1.9);

        _proxy.Set(TcpFault.Drip.OneBytePerSecond);
        _proxy.Clear();
        (await ReadAsync(client, 5)).ShouldBe("swer\n");
    }

    [Fact]
    public async Task Delay_Answer_ComesWholeAndLate()
    {
        _proxy.Set(new TcpFault.Delay(Brief));
        using TcpClient client = await ConnectAsync();
        var taken = Stopwatch.StartNew();

        await SendAsync(client, "request\n");

        (await ReadAsync(client, 7)).ShouldBe("answer\n");
        taken.Elapsed.ShouldBeGreaterThan(Brief * 0.95);
    }

    private async Task<TcpClient> ConnectAsync()
    {
        var client = new TcpClient();
        await client.ConnectAsync(_proxy.Address).WaitAsync(Long);
        return client;
    }

    private static Task SendAsync(TcpClient client, string text) => client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(text)).AsTask();

    private static async Task<string> ReadAsync(TcpClient client, int count)
    {
        byte[] bytes = new byte[count];
        await client.GetStream().ReadExactlyAsync(bytes).AsTask().WaitAsync(Long);
        return Encoding.ASCII.GetString(bytes);
    }

    private static async Task<SocketError> ErrorAsync(Func<Task> action)
    {
        Exception exception = await Should.ThrowAsync<Exception>(action);
        return (exception as SocketException ?? exception.InnerException as SocketException).ShouldNotBeNull(exception.ToString()).SocketErrorCode;
    }
}
