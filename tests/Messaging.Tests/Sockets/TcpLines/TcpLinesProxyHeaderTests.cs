using System.Text;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>Connections that begin with a header of the PROXY protocol, as a load balancer sends it.</summary>
public sealed class TcpLinesProxyHeaderTests(TestCertificate certificate) : IClassFixture<TestCertificate>
{
    private const string Signature = "\r\n\r\n\0\r\nQUIT\n";

    public static TheoryData<string> Headers =>
    [
        "PROXY TCP4 192.0.2.1 192.0.2.2 51000 9082\r\n",
        "PROXY TCP6 2001:db8::1 2001:db8::2 51000 9082\r\n",
        "PROXY UNKNOWN\r\n",
        "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n",

        // PROXY over TCP4, with LF among the bytes of the addresses; LOCAL, as health checks send it; and one that is cut off after the signature.
        $"{Signature}\x21\x11\0\x0c\n\n\n\nabcd\xc7\x38\x23\x7a",
        $"{Signature}\x20\0\0\0",
        Signature,
    ];

    public static TheoryData<string, int> NearMisses => new()
    {
        { "PROXY it\n{}\n", 2 },
        { "PROXY TCP5 a b 1 2\n", 1 },
        { "PROXYTCP4 \n", 1 },
        { "proxy TCP4 1 2 3 4\n", 1 },
        { "{}\nPROXY TCP4 192.0.2.1 192.0.2.2 51000 9082\r\n", 2 },
        { "\r\n\r\n{}\n", 1 },
        { "\r\n\r\n\0\n{}\n", 2 },
        { "\r\n\r\n\0\r\nQUIX\n", 2 },
        { "\r\n\r\n\0\r\nQ\n{}\n", 3 },
        { "\r\n\0\r\nQUIT\n", 2 },
    };

    [Theory]
    [MemberData(nameof(Headers))]
    public async Task Read_HeaderSplitAtEveryByte_IsClosedAndNoLineIsRead(string header)
    {
        string sent = $"{header}{{}}\n{{}}\n";
        int[][] packets = [[], [.. Enumerable.Repeat(1, sent.Length)], .. Enumerable.Range(1, header.Length).Select(first => (int[])[first])];
        foreach (bool acknowledge in (bool[])[true, false])
        {
            foreach (int[] split in packets)
            {
                FakeSender sender = new(sent, packets: split);
                await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = acknowledge, _ => Settlement.Complete, sender);

                sender.Connect();

                await TcpLinesRun.UntilAsync(() => run.Log.Entries.Any(entry => entry.Id.Id == 3460), "The connection was not closed.");
                await run.FinishAsync();
                run.Intake.Accepted.ShouldBe(0);
                sender.WasAnswered.ShouldBeFalse("An answer would have a number that is not the sender's.");
                run.Log.Entries.Where(entry => entry.Id.Id == 3460).ShouldHaveSingleItem().Text.ShouldContain(
                    "PROXY protocol header, which the worker does not read. Switch the PROXY protocol off");
                run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("1 proxy-protocol");
                run.Metrics.Totals.Lost.ShouldBe(acknowledge ? 0 : 1);
                run.DeadLetters.Messages.ShouldBeEmpty();
            }
        }
    }

    [Theory]
    [MemberData(nameof(NearMisses))]
    public async Task Read_NoHeaderSplitAtEveryByte_IsReadAsLines(string sent, int messages)
    {
        int[][] packets = [[], [.. Enumerable.Repeat(1, sent.Length)], .. Enumerable.Range(1, sent.Length).Select(first => (int[])[first])];
        foreach (int[] split in packets)
        {
            FakeSender sender = new(sent, ends: true, split);
            await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false, _ => Settlement.Complete, sender);

            sender.Connect();

            await TcpLinesRun.UntilAsync(() => run.Intake.Accepted > 0 && run.Source.Connections.Count == 0, "The lines were not read.");
            run.Intake.Accepted.ShouldBe(messages, string.Join(',', split));
            await run.FinishAsync();
            run.Metrics.DroppedInput.ShouldBeNull();
        }
    }

    [Fact]
    public async Task Read_Header_ClosesTheConnectionOfTheSender()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: _ => Settlement.Complete);
        for (int i = 0; i < 3; i++)
        {
            await using LineClient client = await run.ConnectAsync();
            await client.TrySendAsync("PROXY TCP4 192.0.2.1 192.0.2.2 51000 9082\r\n{}\n{}\n");
            await client.ShouldEndAsync();
        }

        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 0, "A connection is open.");
        await run.FinishAsync();
        run.Metrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("3 proxy-protocol");
        run.Log.Entries.Count(entry => entry.Id.Id == 3460).ShouldBe(1, "The others are counted in the next line.");
    }

    [Theory]
    [MemberData(nameof(Headers))]
    public async Task Read_HeaderBeforeTls_IsClosedWithItsReason(string header)
    {
        foreach (bool byteByByte in (bool[])[true, false])
        {
            await using TcpLinesRun run = await TcpLinesRun.StartAsync(
                options => (options.Certificate, options.CertificateKey) = (certificate.CertificateFile, certificate.KeyFile), _ => Settlement.Complete);
            await using LineClient client = await run.ConnectAsync();
            byte[] sent = Encoding.Latin1.GetBytes(header + "\x16\x03\x01");
            try
            {
                for (int i = 0; i < sent.Length; i += byteByByte ? 1 : sent.Length)
                {
                    await client.SendAsync(sent.AsMemory(i, byteByByte ? 1 : sent.Length));
                }
            }
            catch (IOException)
            {
                // Closed already.
            }

            await TcpLinesRun.UntilAsync(() => run.Log.Entries.Any(entry => entry.Id.Id == 3460), "The header was not recognised.");
            run.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 3453);
            run.Intake.Accepted.ShouldBe(0);
            await run.FinishAsync();
        }
    }
}
