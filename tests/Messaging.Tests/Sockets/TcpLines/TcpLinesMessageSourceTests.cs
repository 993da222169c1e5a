using System.Net;
using System.Net.Sockets;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Pipeline.Settlements;
using Shared.Net;

namespace Messaging.Tests.Sockets.TcpLines;

public sealed class TcpLinesMessageSourceTests(TestCertificate certificate) : IClassFixture<TestCertificate>
{
    // Of the source's clock.
    private static readonly DateTimeOffset Beginning = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    public async Task Stop_LinesRead_AreHandledAndAnswered(bool acknowledge, bool tls)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options =>
        {
            options.Acknowledge = acknowledge;
            if (tls)
            {
                WithTls(options);
            }
        });
        await using LineClient client = await LineClient.ConnectAsync(run.Endpoint, tls);
        run.Intake.Pause();
        await client.SendAsync(string.Concat(Enumerable.Range(1, 100).Select(n => $"{{\"n\":{n}}}\n")));
        await run.Intake.UntilReservingAsync();

        await run.StopReceivingAsync();
        run.Intake.Script = _ => Settlement.Complete;
        run.Intake.Resume();

        // The clock stands until the answers are read: FinishAsync's is a hundred times faster than real time, and a write that takes 30 ms would be
        // one of a sender that has not read for the two seconds that a stop allows.
        await run.Source.DrainAsync(run.Intake, CancellationToken.None);
        await run.Intake.DrainAsync(CancellationToken.None);
        Task closing = run.Source.CloseAsync(CancellationToken.None);

        run.Intake.Accepted.ShouldBe(100);
        List<string> answers = [];
        while (await client.ReadAsync() is { } answer)
        {
            answers.Add(answer);
        }

        answers.ShouldBe(acknowledge ? Enumerable.Range(1, 100).Select(n => $"ok {n}") : [], ignoreOrder: true);
        await client.DisposeAsync();
        await closing;
        await run.FinishAsync();
    }

    [Fact]
    public async Task Stop_LinesReadAndNotProcessed_AreKeptAsDeadLetters()
    {
        const int inWork = 64;
        const int sent = 100;
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false);
        LineClient client = await run.ConnectAsync();
        await client.SendAsync(string.Concat(Enumerable.Range(1, sent).Select(n => $"{{\"n\":{n}}}\n")) + "{\"n\":");
        await TcpLinesRun.UntilAsync(() => run.Intake.Accepted == inWork, "The first lines should have been handed in.");

        await run.StopReceivingAsync();
        await run.Source.DrainAsync(run.Intake, new CancellationToken(canceled: true)).WaitAsync(TimeSpan.FromSeconds(30));
        Task closing = run.Source.CloseAsync(CancellationToken.None);
        client.Reset();
        await closing.WaitAsync(TimeSpan.FromSeconds(30));

        run.DeadLetters.Messages
            .GroupBy(letter => letter.Reason)
            .Select(letters => (letters.Key, letters.Count()))
            .ShouldBe([("unprocessed-at-stop", sent), ("unterminated", 1)], ignoreOrder: true);
        run.DeadLetters.Messages
            .Select(letter => Encoding.UTF8.GetString(letter.Body))
            .ShouldBe([.. Enumerable.Range(1, sent).Select(n => $"{{\"n\":{n}}}"), "{\"n\":"], ignoreOrder: true);
        for (int i = 0; i < inWork; i++)
        {
            await (await run.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        }

        await run.FinishAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Stop_AcceptedTailWaitsForASlot_IsKept(bool acknowledge)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options =>
        {
            options.Acknowledge = acknowledge;
            options.UnterminatedTail = TailRule.Accept;
        });
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("1\n2");
        Delivery first = await run.Intake.NextAsync();
        run.Intake.Pause();
        client.EndSending();
        await run.Intake.UntilReservingAsync();

        await run.StopReceivingAsync();
        await run.Source.DrainAsync(run.Intake, new CancellationToken(canceled: true)).WaitAsync(TimeSpan.FromSeconds(30));
        await first.SettleAsync(Settlement.Complete);
        if (acknowledge)
        {
            (await client.ReadAsync()).ShouldBe("ok 1", "The tail does not cost the other lines their answers.");
        }

        await run.Source.CloseAsync(CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(30));

        if (acknowledge)
        {
            (await client.ReadAsync()).ShouldBe("error 2 stopping");
        }

        run.DeadLetters.Messages.Select(letter => Encoding.UTF8.GetString(letter.Body)).ShouldBe(acknowledge ? [] : ["2"]);
        await run.FinishAsync();
    }

    [Theory]
    [InlineData("1\n2", "unprocessed-at-stop 1,unprocessed-at-stop 2")]
    [InlineData("GET / HTTP/1.1", "")]
    public async Task Stop_AcceptedTailIsUnread_IsDeadLetteredUnlessItIsAnotherProtocols(string text, string deadLetters)
    {
        FakeSender sender = new(text, ends: true);
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(
            options =>
            {
                options.Acknowledge = false;
                options.UnterminatedTail = TailRule.Accept;
            },
            listener: sender);
        run.Intake.Pause();
        sender.Connect();
        await run.Intake.UntilReservingAsync();

        await run.StopReceivingAsync();
        await run.Source.DrainAsync(run.Intake, new CancellationToken(canceled: true)).WaitAsync(TimeSpan.FromSeconds(30));
        await run.Source.CloseAsync(CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(30));

        string
            .Join(',', run.DeadLetters.Messages.Select(letter => $"{letter.Reason} {Encoding.UTF8.GetString(letter.Body)}").Order(StringComparer.Ordinal))
            .ShouldBe(deadLetters);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Stop_NewConnections_AreRefused()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        IPEndPoint endpoint = run.Endpoint;
        await run.FinishAsync();

        // Fails while the source listens. Nothing else can answer at the port afterwards.
        using RefusingPort port = new(endpoint);
        await Should.ThrowAsync<SocketException>(() => LineClient.ConnectAsync(endpoint));
    }

    [Fact]
    public async Task Close_AbandonedLine_ItsSenderGetsAnErrorAndKeepsIt()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n");
        await (await run.Intake.NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.FromMinutes(5)));
        await run.StopReceivingAsync();

        Task closing = run.Source.CloseAsync(CancellationToken.None);

        (await client.ReadAsync()).ShouldBe("error 1 stopping");
        await client.ShouldEndAsync();
        await client.DisposeAsync();
        await closing;
        run.DeadLetters.Messages.ShouldBeEmpty("The sender has it.");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Close_AbandonedLineWithoutSender_IsDeadLettered()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n");
        Delivery delivery = await run.Intake.NextAsync();
        client.Reset();
        await TcpLinesRun.UntilAsync(() => run.Log.Entries.Any(entry => entry.Id.Id == 3453), "The reset was not seen.");
        await delivery.SettleAsync(Settlement.Abandon(TimeSpan.FromMinutes(5)));
        await run.StopReceivingAsync();

        await run.Source.CloseAsync(CancellationToken.None);

        run.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("unprocessed-at-stop");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Close_TimeoutEnds_ConnectionsAreClosed()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync();
        await using LineClient client = await run.ConnectAsync();
        await client.SendAsync("{}\n");
        Delivery delivery = await run.Intake.NextAsync();
        await run.StopReceivingAsync();

        await run.Source.CloseAsync(new CancellationToken(canceled: true));

        // The line's answer may or may not be sent before the connection is closed.
        if (await client.ReadAsync() is { } answer)
        {
            answer.ShouldBe("error 1 stopping");
            await client.ShouldEndAsync();
        }

        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3458);
        await delivery.SettleAsync(Settlement.Complete);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Receive_ManyConnections_EachHasItsOwnNumbers()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(script: delivery =>
            delivery.Body.AsSpan().EndsWith("7"u8) ? Settlement.DeadLetter("unlucky", "Seven.") : Settlement.Complete);

        await Parallel.ForAsync(0, 20, async (connection, _) =>
        {
            await using LineClient client = await run.ConnectAsync();
            string text = string.Concat(Enumerable.Range(1, 200).Select(n => $"{connection}-{n}{(n % 2 == 0 ? "\r\n" : "\n")}"));
            HashSet<string> expected = [.. Enumerable.Range(1, 200).Select(n => n % 10 == 7 ? $"error {n} unlucky" : $"ok {n}")];
            await client.SendAsync(text);
            client.EndSending();
            while (await client.ReadAsync() is { } answer)
            {
                expected.Remove(answer).ShouldBeTrue($"{answer} was not expected, or arrived twice.");
            }

            expected.ShouldBeEmpty();
        });

        run.DeadLetters.Messages.Count.ShouldBe(20 * 20);
        await run.FinishAsync();
    }

    [Fact]
    public async Task Receive_FullIntake_ReadsNoMoreThanTheBuffersHold()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.Acknowledge = false);
        await using LineClient client = await run.ConnectAsync();
        byte[] lines = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat($"{new string('x', 99)}\n", 1_000)));
        long sent = 0;
        Task sending = Task.Run(async () =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                await client.SendAsync(lines);
                Interlocked.Add(ref sent, lines.Length);
            }
        });
        await TcpLinesRun.UntilAsync(() => run.Intake.Unsettled == 64, "The slots were not filled.");
        await UntilStalledAsync(run, () => Interlocked.Read(ref sent));

        sending.IsCompleted.ShouldBeFalse("The sender waits: 100 MB are more than the kernel and the worker keep.");
        run.Intake.Accepted.ShouldBe(64);
        client.Reset();
        await Should.ThrowAsync<Exception>(() => sending);
        run.Intake.Script = _ => Settlement.Complete;
        for (int i = 0; i < 64; i++)
        {
            await (await run.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        }

        await run.FinishAsync();
    }

    /// <summary>Waits until a value stays while other connections come and go: what is slow on this machine is slow for both.</summary>
    private static async Task UntilStalledAsync(TcpLinesRun run, Func<long> progress)
    {
        // The sender's own connection must not be taken for the first of those below.
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count > 0, "The sender was not accepted.");
        long before;
        do
        {
            before = progress();
            for (int i = 0; i < 20; i++)
            {
                int open = run.Source.Connections.Count;
                await using (await run.ConnectAsync())
                {
                    await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count > open, "The connection was not accepted.");
                }

                await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == open, "The end of the connection was not noticed.");
            }
        }
        while (before == 0 || progress() > before);
    }

    [Fact]
    public async Task Accept_EveryAddress_AcceptsIPv4TooAndCountsItAsIPv4()
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "No IPv6 here.");
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(
            options =>
            {
                options.Endpoint = "[::]:0";
                options.MaxConnectionsPerAddress = 1;
            },
            _ => Settlement.Complete);
        await using LineClient four = await LineClient.ConnectAsync(new IPEndPoint(IPAddress.Loopback, run.Endpoint.Port));
        await using LineClient six = await LineClient.ConnectAsync(new IPEndPoint(IPAddress.IPv6Loopback, run.Endpoint.Port));
        await four.SendAsync("{}\n");
        await six.SendAsync("{}\n");

        (await four.ReadAsync()).ShouldBe("ok 1");
        (await six.ReadAsync()).ShouldBe("ok 1");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Stop_SenderDoesNotReadItsAnswers_DelaysTheDrainByTheIdleTimeoutAtMost()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(options => options.IdleTimeout = TimeSpan.FromSeconds(20), _ => Settlement.Complete);
        LineClient client = await run.ConnectAsync(receiveBuffer: 4_096);
        byte[] lines = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("x\n", 50_000)));
        Task sending = Task.Run(async () =>
        {
            try
            {
                while (true)
                {
                    await client.SendAsync(lines);
                }
            }
            catch (Exception exception) when (exception is IOException or ObjectDisposedException)
            {
                // The worker or the test closed the connection.
            }
        });
        await UntilStalledAsync(run, () => run.Intake.Accepted);
        await run.StopReceivingAsync();
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(60));

        Task draining = run.Source.DrainAsync(run.Intake, limit.Token);
        await run.PassAsync(TimeSpan.FromSeconds(25));
        await draining;

        limit.IsCancellationRequested.ShouldBeFalse("The drain waited for a sender that does not read.");
        await run.Source.CloseAsync(new CancellationToken(canceled: true));
        client.Reset();
        await sending;
        await run.FinishAsync();
    }

    [Fact]
    public async Task Tls_PlainTextSender_EndsAndIsCounted()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(WithTls);
        await using LineClient plain = await run.ConnectAsync();

        await plain.SendAsync("{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n");

        await TcpLinesRun.UntilAsync(
            () => run.Log.Entries.Any(entry => entry.Id.Id == 3453 && entry.Text.Contains("tls", StringComparison.Ordinal)),
            "The failed handshake was not logged.");
        run.Intake.Accepted.ShouldBe(0);
        await run.FinishAsync();
    }

    [Theory]
    [InlineData(45, "certificate expired")]
    [InlineData(48, "unknown ca")]
    public async Task Tls_SenderRefusesTheCertificate_TheLineNamesTheAlertAndTheSetting(byte alert, string name)
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(WithTls);
        await using LineClient strict = await run.ConnectAsync();

        // A ClientHello of TLS 1.2 (RFC 5246, section 7.4.1.2) for a certificate with a key of P-256, and after the server's answer a fatal alert (section
        // 7.2). .NET's own client on Linux closes the connection without one.
        byte[] extensions = [0, 10, 0, 4, 0, 2, 0, 23, 0, 13, 0, 4, 0, 2, 4, 3, 0, 11, 0, 2, 1, 0];
        await strict.SendAsync(
            (byte[])[0x16, 3, 1, 0, 69, 1, 0, 0, 65, 3, 3, .. new byte[32], 0, 0, 2, 0xC0, 0x2B, 1, 0, 0, (byte)extensions.Length, .. extensions]);
        await strict.SendAsync((byte[])[0x15, 3, 3, 0, 2, 2, alert]);

        await TcpLinesRun.UntilAsync(() => run.Log.Entries.Any(entry => entry.Id.Id == 3453), "The refusal was not logged.");
        run.Log.Entries.Single(entry => entry.Id.Id == 3453).Text.ShouldEndWith(
            $"was closed: tls: the sender refused Sources:TcpLines:Certificate with the TLS alert \"{name}\"");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Tls_SenderOfTls11_TheLineNamesItsVersion()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(WithTls);
        await using LineClient old = await run.ConnectAsync();

        // A ClientHello (RFC 4346, section 7.4.1.2): version 3.2, a random, no session, one cipher suite, no compression.
        await old.SendAsync((byte[])[0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2, .. new byte[32], 0, 0, 2, 0, 0x2F, 1, 0]);

        await TcpLinesRun.UntilAsync(() => run.Log.Entries.Any(entry => entry.Id.Id == 3453), "The failed handshake was not logged.");
        run.Log.Entries.Single(entry => entry.Id.Id == 3453).Text.ShouldContain(
            "tls: the sender knows TLS only up to 1.1, and the worker needs a newer version");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Check_CertificateHasEnded_EndsTheStart()
    {
        using TestCertificate own = new();
        own.Renew(Beginning.AddDays(-1));
        await using TcpLinesRun run = new(options => (options.Certificate, options.CertificateKey) = (own.CertificateFile, own.KeyFile));

        StartupException exception = await Should.ThrowAsync<StartupException>(() => run.Source.CheckAsync(CancellationToken.None));

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldStartWith("The certificate of Sources:TcpLines:Certificate ended at 2025-12-31 00:00 UTC: peers refuse it.");
        exception.Message.ShouldContain(own.CertificateFile);
    }

    [Fact]
    public async Task Certificate_EndsWhileItRuns_IsAProblemUntilItsFileIsRenewed()
    {
        using TestCertificate own = new();
        own.Renew(Beginning.AddMinutes(2));
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(
            options => (options.Certificate, options.CertificateKey) = (own.CertificateFile, own.KeyFile), _ => Settlement.Complete);
        run.Source.Problem.ShouldBeNull();

        run.Time.Advance(TimeSpan.FromMinutes(2));
        run.Source.Problem.ShouldNotBeNull();
        own.Renew(Beginning.AddYears(1));
        run.Time.Advance(TimeSpan.FromMinutes(1));

        run.Source.Problem.ShouldBeNull();
        await using LineClient client = await LineClient.ConnectAsync(run.Endpoint, tls: true);
        await client.SendAsync("{}\n");
        await TcpLinesRun.UntilAsync(() => run.Intake.Accepted == 1, "The line was not handed in.");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Tls_SenderIsSilentUntilJustBeforeTheFirstLinesTime_IsServed()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(WithTls, _ => Settlement.Complete);
        await using LineClient slow = await LineClient.ConnectAsync(run.Endpoint, tls: true, async () =>
        {
            await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 1, "The connection was not accepted.");
            run.Time.Advance(TimeSpan.FromSeconds(29));
        });

        await slow.SendAsync("{\"a\":1}\n");

        await TcpLinesRun.UntilAsync(() => run.Intake.Accepted == 1, "The line was not handed in.");
        await run.FinishAsync();
    }

    [Fact]
    public async Task Tls_SilentSender_EndsAtTheFirstLinesTime()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(WithTls, _ => Settlement.Complete);
        await using LineClient plain = await run.ConnectAsync();
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 1, "The connection was not accepted.");
        run.Time.Advance(TimeSpan.FromSeconds(29));
        await using LineClient other = await LineClient.ConnectAsync(run.Endpoint, tls: true);
        await other.SendAsync("{}\n");
        (await other.ReadAsync()).ShouldBe("ok 1");
        run.Source.Connections.Count.ShouldBe(2, "The time has not ended.");

        run.Time.Advance(TimeSpan.FromSeconds(2));

        await plain.ShouldEndAsync();
        await run.FinishAsync();
    }

    [Fact]
    public async Task Stop_SilentTlsSender_DoesNotDelayTheDrain()
    {
        await using TcpLinesRun run = await TcpLinesRun.StartAsync(WithTls);
        await using LineClient plain = await run.ConnectAsync();
        await TcpLinesRun.UntilAsync(() => run.Source.Connections.Count == 1, "The connection was not accepted.");

        await run.FinishAsync().WaitAsync(TimeSpan.FromSeconds(60));

        await plain.ShouldEndAsync();
        run.Log.Entries.ShouldContain(entry => entry.Id.Id == 3455 && entry.Text.Contains("stopping", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Check_KeyOfAnotherCertificate_SaysWhatToDo()
    {
        await using TcpLinesRun run = new(options =>
        {
            options.Certificate = certificate.CertificateFile;
            options.CertificateKey = certificate.OtherKeyFile;
        });

        StartupException exception = await Should.ThrowAsync<StartupException>(() => run.Source.CheckAsync(CancellationToken.None));

        exception.Message.ShouldStartWith(
            $"Sources:TcpLines:Certificate {certificate.CertificateFile} with Sources:TcpLines:CertificateKey {certificate.OtherKeyFile}: must be a "
                + "certificate with its own private key");
        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
    }

    [Fact]
    public async Task Check_MissingCertificate_SaysWhatToDo()
    {
        await using TcpLinesRun run = new(options =>
        {
            options.Certificate = "/nowhere/certificate.pem";
            options.CertificateKey = certificate.KeyFile;
        });

        (await Should.ThrowAsync<StartupException>(() => run.Source.CheckAsync(CancellationToken.None))).Message.ShouldContain("/nowhere/certificate.pem");
    }

    [Fact]
    public async Task Check_PortIsTaken_SaysWhatToDo()
    {
        using Socket other = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        other.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        other.Listen();
        await using TcpLinesRun run = new(options => options.Endpoint = other.LocalEndPoint!.ToString()!);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => run.Source.CheckAsync(CancellationToken.None));

        exception.Message.ShouldContain("Sources:TcpLines:Endpoint");
        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
    }

    private void WithTls(TcpLinesSourceOptions options)
    {
        options.Certificate = certificate.CertificateFile;
        options.CertificateKey = certificate.KeyFile;
    }
}
