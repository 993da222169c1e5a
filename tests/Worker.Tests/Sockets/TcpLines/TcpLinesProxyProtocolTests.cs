using System.Text;
using Quayside.Pipeline.Settlements;

namespace Worker.Tests.Sockets.TcpLines;

/// <summary>Connections through a proxy that states its sender's address, with <c>ProxyProtocol=true</c>.</summary>
public sealed class TcpLinesProxyProtocolTests(TestCertificate certificate) : IClassFixture<TestCertificate>
{
    private const string Signature = "\r\n\r\n\0\r\nQUIT\n";

    public static TheoryData<string, string> Headers => new()
    {
        { "PROXY TCP4 192.0.2.1 192.0.2.2 51000 9082\r\n", "192.0.2.1:51000" },
        { "PROXY TCP6 2001:db8::1 2001:db8::2 51000 9082\r\n", "[2001:db8::1]:51000" },
        { "PROXY UNKNOWN\r\n", "127.0.0.1:9082" },
        { "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", "127.0.0.1:9082" },
        { $"{Signature}\u0021\u0011\0\u000c\n\n\n\nabcd\u00c7\u0038\u0023\u007a", "10.10.10.10:51000" },

        // With extensions (TLVs) after the addresses; LOCAL with and without addresses, as health checks send it; a Unix socket; UDP.
        { $"{Signature}\u0021\u0011\0\u0013\n\0\0\u0001abcd\u00c7\u0038\u0023\u007a\u0004\0\u0004\n\n\n\n", "10.0.0.1:51000" },
        { $"{Signature}\u0020\0\0\0", "127.0.0.1:9082" },
        { $"{Signature}\u0020\u0011\0\u000c\n\n\n\nabcd\u00c7\u0038\u0023\u007a", "127.0.0.1:9082" },
        { $"{Signature}\u0021\u0031\0\u00d8{new string('u', 216)}", "127.0.0.1:9082" },
        { $"{Signature}\u0021\u0012\0\u000c\n\n\n\nabcd\u00c7\u0038\u0023\u007a", "127.0.0.1:9082" },
    };

    public static TheoryData<string> NoHeaders =>
    [
        "{}\n", "PROXY TCP4 192.0.2.1 192.0.2.2 51000\r\n{}\n", "PROXY TCP4 1 192.0.2.2 51000 9082\r\n", "PROXY TCP4 192.0.2.1 192.0.2.2 65536 9082\r\n", "PROXY TCP4 192.0.2.1 192.0.2.2 5100\0 9082\r\n",
        "PROXY TCP4 192.0.2.1 192.0.2.2 051 9082\r\n", "PROXY TCP4  192.0.2.1 192.0.2.2 51 9082\r\n", "PROXY TCP6 192.0.2.1 192.0.2.2 51 9082\r\n", "PROXY TCP4 192.0.2.1 ::1 51 9082\r\n",
        "PROXY TCP6 fe80::1%1 ::1 51 9082\r\n", "PROXY TCP5 a b 1 2\r\n", "proxy TCP4 192.0.2.1 192.0.2.2 51000 9082\r\n", $"PROXY UNKNOWN {new string('x', 100)}\r\n",
        $"{Signature}\u0011\u0011\0\u000c\n\n\n\nabcd\u00c7\u0038\u0023\u007a", $"{Signature}\u0022\u0011\0\u000c", $"{Signature}\u0021\u0011\0\u000b", $"{Signature}\u0021\u0021\0\u0023", "\r\n\r\n\0\r\nQUIX",
    ];

    [Theory]
    [MemberData(nameof(Headers))]
    public async Task Read_HeaderSplitAtEveryByte_IsSkippedAndTheNumbersAreTheSenders(string header, string sender)
    {
        string sent = $"{header}{{}}\n{new string('x', 70_000)}\n{{}}\n";
        int[][] packets = [[], [.. Enumerable.Repeat(1, header.Length + 4)], .. Enumerable.Range(1, Math.Min(header.Length, 60)).Select(first => (int[])[first])];
        foreach (int[] split in packets)
        {
            FakeSender proxy = new(sent, ends: true, split);
            await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => (options.Acknowledge, options.ProxyProtocol) = (false, true), _ => Settlement.Complete, proxy);

            proxy.Connect();

            await TcpLinesRun.UntilAsync(() => run.Intake.Accepted == 2 && run.Source.Connections.Count == 0, "The lines were not read.");
            await run.FinishAsync();
            run.Log.Entries.Where(entry => entry.Id.Id == 3454).ShouldHaveSingleItem().Text.ShouldContain($"line 2 from {sender} was dropped: too-long, 70000 bytes.");
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Read_HeaderBeforeTheConnection_IsAnsweredByTheNumbersOfTheSender(bool tls)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(
            options =>
            {
                options.ProxyProtocol = true;
                (options.Certificate, options.CertificateKey) = tls ? (certificate.CertificateFile, certificate.KeyFile) : default;
            },
            _ => Settlement.Complete);
        await using LineClient client = await LineClient.ConnectAsync(run.Endpoint, tls, header: Encoding.Latin1.GetBytes($"{Signature}\u0021\u0011\0\u000c\n\0\0\u0001abcd\u00c7\u0038\u0023\u007a"));

        await client.SendAsync("{}\n[]\n");
        client.EndSending();

        HashSet<string> answers = [(await client.ReadAsync())!, (await client.ReadAsync())!];
        answers.ShouldBe(["ok 1", "ok 2"], ignoreOrder: true);
        await client.ShouldEndAsync();
        await run.FinishAsync();
    }

    [Theory]
    [MemberData(nameof(NoHeaders))]
    public async Task Read_NoHeader_IsClosedAndKept(string text)
    {
        foreach (int[] split in (int[][])[[], [.. Enumerable.Repeat(1, text.Length)]])
        {
            FakeSender sender = new(text, ends: true, split);
            await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => (options.Acknowledge, options.ProxyProtocol) = (false, true), _ => Settlement.Complete, sender);

            sender.Connect();

            await TcpLinesRun.UntilAsync(() => run.Log.Entries.Any(entry => entry.Id.Id == 3460), "The connection was not closed.");
            await run.FinishAsync();
            run.Intake.Accepted.ShouldBe(0);
            run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("1 no-proxy-header");
            text.ShouldStartWith(Encoding.Latin1.GetString(run.DeadLetters.Messages.ShouldHaveSingleItem().Body));
        }
    }

    [Fact]
    public async Task Read_NothingAtAll_IsAHealthCheck()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.ProxyProtocol = true, _ => Settlement.Complete);
        await using (LineClient client = await run.ConnectAsync())
        {
            client.EndSending();
            await client.ShouldEndAsync();
        }

        await run.FinishAsync();
        run.Metrics.DroppedInput.ShouldBeNull();
        run.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 3453 || entry.Id.Id == 3460);
    }

    [Fact]
    public async Task Read_ConnectionsOfOneProxy_AreCountedByTheAddressItStates()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => (options.ProxyProtocol, options.MaxConnectionsPerAddress) = (true, 1), _ => Settlement.Complete);
        await using LineClient first = await run.ConnectAsync();
        await first.SendAsync("PROXY TCP4 192.0.2.1 192.0.2.9 51000 9082\r\n{}\n");
        (await first.ReadAsync()).ShouldBe("ok 1");
        await using LineClient other = await run.ConnectAsync();
        await other.SendAsync("PROXY TCP4 192.0.2.2 192.0.2.9 51000 9082\r\n{}\n");
        (await other.ReadAsync()).ShouldBe("ok 1");
        await using LineClient second = await run.ConnectAsync();
        await second.SendAsync("PROXY TCP4 192.0.2.1 192.0.2.9 51001 9082\r\n");

        (await second.ReadAsync()).ShouldBe("error 0 too-many-connections");
        await second.ShouldEndAsync();
        run.Log.Entries.Where(entry => entry.Id.Id == 3452).ShouldHaveSingleItem().Text.ShouldContain("192.0.2.1:51001 was refused: address-limit");
        first.EndSending();
        await first.ShouldEndAsync();
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 1, "The first connection is open.");
        await using LineClient third = await run.ConnectAsync();
        await third.SendAsync("PROXY TCP4 192.0.2.1 192.0.2.9 51002 9082\r\n{}\n");
        (await third.ReadAsync()).ShouldBe("ok 1");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Read_NoHeaderInTime_IsClosed()
    {
        FakeSender sender = new("PROXY TC");
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.ProxyProtocol = true, _ => Settlement.Complete, sender);
        sender.Connect();
        await sender.UntilAllReadAsync();

        await run.PassUntilClosedAsync(TimeSpan.FromSeconds(32));

        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3453 && entry.Text.Contains("first-line-timeout", StringComparison.Ordinal));
        await run.FinishAsync();
    }
}
