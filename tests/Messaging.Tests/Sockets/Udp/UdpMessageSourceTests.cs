using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sockets.Udp;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sockets.Udp;

public sealed class UdpMessageSourceTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Receive_WrongChecksum_IsCountedAndDroppedAndNothingElse(bool isPortable)
    {
        await using UdpSourceHarness harness = Create(isPortable, options => options.Checksum = UdpChecksum.Verify);
        await harness.StartAsync();
        byte[] damaged = Fletcher32Tests.WithTrailer("damaged on its way"u8.ToArray());
        damaged[3] ^= 4;
        await harness.SendAsync(damaged);
        await harness.SendAsync("abc"u8.ToArray());
        await harness.SendAsync([]);
        await harness.PublishAsync("whole"u8.ToArray());

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Body.ShouldBe("whole"u8.ToArray());
        (harness.RouteMetrics.Totals.Lost, harness.RouteMetrics.Totals.Dropped).ShouldBe((3, 3));
        harness.RouteMetrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("3 checksum");
        harness.RouteMetrics.DroppedInput.Advice.ShouldContain("Sources:Udp:Checksum");
        harness.Log.Entries.ShouldContain(
            entry => entry.Id.Id == 3402
                && entry.Text.Contains("127.0.0.1", StringComparison.Ordinal)
                && entry.Text.Contains("checksum", StringComparison.Ordinal));
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
        harness.Intake.Accepted.ShouldBe(1);
        harness.Sender.Available.ShouldBe(0, "There is never a reply.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Receive_TooLarge_IsCountedAndDroppedAndNeverCutOff(bool isPortable)
    {
        await using UdpSourceHarness harness = Create(isPortable, options => options.MaxMessageBytes = 100);
        await harness.StartAsync();
        await harness.SendAsync(new byte[101]);
        await harness.SendAsync(new byte[60_000]);
        await harness.PublishAsync(new byte[100]);

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Body.Length.ShouldBe(100);
        harness.RouteMetrics.Totals.Lost.ShouldBe(2);
        harness.RouteMetrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("2 too-large");
        harness.RouteMetrics.DroppedInput.Advice.ShouldContain("Sources:Udp:MaxMessageBytes");
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
        harness.Intake.Accepted.ShouldBe(1);
        harness.Sender.Available.ShouldBe(0);
    }

    [Fact]
    public async Task Receive_LimitWithChecksum_IsOfTheMessageAlone()
    {
        await using UdpSourceHarness harness = Create(false, options =>
        {
            options.MaxMessageBytes = 100;
            options.Checksum = UdpChecksum.Verify;
        });
        await harness.StartAsync();
        await harness.PublishAsync(new byte[101]);
        await harness.PublishAsync(new byte[100]);

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Body.Length.ShouldBe(100);
        harness.RouteMetrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe("1 too-large");
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Receive_FloodOfAFullIntake_StaysBoundedAndTheKernelsDropsAreCounted(bool isPortable)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux counts a socket's drops.");
        await using UdpSourceHarness harness = Create(isPortable, options => options.ReceiveBuffer = 16 << 10);
        harness.Intake.Pause();
        await harness.StartAsync();
        const int Sent = 500;
        for (int i = 0; i < Sent; i++)
        {
            await harness.SendAsync(Encoding.ASCII.GetBytes($"{i:d8}{new string('x', 1_000)}"));
        }

        long dropped = harness.Udp.KernelDrops;
        dropped.ShouldBeInRange(1, Sent - 1);
        await harness.AdvanceAsync(TimeSpan.FromSeconds(10));
        harness.Udp.Unsettled.ShouldBeLessThanOrEqualTo(64);
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3403);
        harness.RouteMetrics.DroppedInput.ShouldNotBeNull().ToString().ShouldBe($"{dropped} kernel-buffer");
        harness.RouteMetrics.Totals.Lost.ShouldBe(dropped);

        int stored = 0;
        harness.Intake.Script = _ =>
        {
            Interlocked.Increment(ref stored);
            return Settlement.Complete;
        };
        harness.Intake.Resume();
        await harness.UntilAsync(() => Volatile.Read(ref stored) == Sent - dropped);
        await harness.FinishAsync();
        stored.ShouldBe((int)(Sent - dropped), "Every datagram that was not dropped is stored once.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stop_DatagramsStillInTheKernel_AreReceived(bool isPortable)
    {
        await using UdpSourceHarness harness = Create(isPortable);
        harness.Intake.Pause();
        await harness.StartAsync();
        for (int i = 0; i < 300; i++)
        {
            await harness.PublishAsync(Encoding.ASCII.GetBytes($"{{\"n\":{i}}}"));
        }

        await harness.StopReceivingAsync();
        harness.Intake.Accepted.ShouldBe(0);
        HashSet<string> bodies = [];
        harness.Intake.Script = delivery =>
        {
            lock (bodies)
            {
                bodies.Add(Encoding.UTF8.GetString(delivery.Body));
            }

            return Settlement.Complete;
        };
        harness.Intake.Resume();
        await harness.FinishAsync();

        bodies.Count.ShouldBe(300);
    }

    [Fact]
    public async Task Stop_DatagramsKeepArriving_OnlyThoseOfOneBufferAreReceived()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux counts the bytes of waiting datagrams.");
        const int First = 100;
        const int Later = 2_000;
        await using UdpSourceHarness harness = Create(false);
        harness.Intake.Pause();
        await harness.StartAsync();
        for (int i = 0; i < First; i++)
        {
            await harness.SendAsync(Encoding.ASCII.GetBytes($"{i}"));
        }

        await harness.StopReceivingAsync();

        // Each message brings another before its slot is free, so the kernel's buffer always has a datagram.
        IPEndPoint endpoint = (IPEndPoint)harness.Udp.Endpoint!;
        int later = 0;
        harness.Intake.Script = _ =>
        {
            if (Interlocked.Increment(ref later) <= Later)
            {
                harness.Sender.SendTo("x"u8, SocketFlags.None, endpoint);
            }

            return Settlement.Complete;
        };
        harness.Intake.Resume();
        await harness.FinishAsync();

        // The kernel counts 768 or 832 bytes for each of the first ones.
        harness.Intake.Accepted.ShouldBeInRange(First, Later / 2);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Close_WithoutDrain_DeadLettersMessagesInMemory(bool isPortable)
    {
        await using UdpSourceHarness harness = Create(isPortable);
        await harness.StartAsync();
        await harness.PublishAsync("waits"u8.ToArray());
        Delivery delivery = await harness.Intake.NextAsync();
        await delivery.SettleAsync(Settlement.Abandon(TimeSpan.FromMinutes(1)));
        await harness.StopReceivingAsync();

        await harness.Source.CloseAsync(CancellationToken.None);

        DeadLetteredMessage letter = harness.DeadLetters.Messages.ShouldHaveSingleItem();
        letter.Reason.ShouldBe("unprocessed-at-stop");
        letter.Body.ShouldBe("waits"u8.ToArray());
        harness.Udp.Unsettled.ShouldBe(0);
    }

    [Fact]
    public async Task Settle_AfterClose_GoesToTheDeadLetters()
    {
        await using UdpSourceHarness harness = Create(false);
        await harness.StartAsync();
        await harness.PublishAsync("late"u8.ToArray());
        Delivery delivery = await harness.Intake.NextAsync();
        await harness.StopReceivingAsync();
        await harness.Source.CloseAsync(CancellationToken.None);
        await harness.Source.DisposeAsync();

        await delivery.SettleAsync(Settlement.Abandon(TimeSpan.FromSeconds(1)));

        (await harness.DeadLettersAsync(1)).Single().Reason.ShouldBe("unprocessed-at-stop");
        await harness.UntilAsync(() => harness.Udp.Unsettled == 0);
        harness.OutstandingBuffers.ShouldBe(0);
    }

    [Fact]
    public async Task DeadLetter_StoreFails_KeepsTheMessageAndRetries()
    {
        await using UdpSourceHarness harness = Create(false);
        harness.DeadLetters.Fail(1);
        harness.Intake.Script = _ => Settlement.DeadLetter("malformed-json", "No JSON.");
        await harness.StartAsync();
        await harness.PublishAsync("poison"u8.ToArray());
        await harness.UntilAsync(() => harness.Log.Entries.Any(entry => entry.Id.Id == 3000));

        // The wait begins only after the log line.
        await harness.UntilAsync(() =>
        {
            harness.Time.Advance(TimeSpan.FromSeconds(1));
            return harness.DeadLetters.Messages.Count == 1;
        });

        harness.DeadLetters.Messages.Single().Body.ShouldBe("poison"u8.ToArray());
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Fact]
    public async Task Receive_TooManyWaitForARetry_NoNewOnesAreAccepted()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux counts a socket's drops.");
        await using UdpSourceHarness harness = Create(false, options => options.ReceiveBuffer = 16 << 10);
        bool isOver = false;
        int abandoned = 0;
        harness.Intake.Script = _ =>
        {
            if (Volatile.Read(ref isOver))
            {
                return Settlement.Complete;
            }

            Interlocked.Increment(ref abandoned);
            return Settlement.Abandon(TimeSpan.FromMinutes(1));
        };
        await harness.StartAsync();
        int sent = 0;
        while (harness.Udp.Waiting < 1_000)
        {
            // As many as the kernel's small buffer holds.
            for (int i = 0; i < 8; i++)
            {
                await harness.SendAsync(Encoding.ASCII.GetBytes($"{sent++}"));
            }

            await harness.UntilAsync(() => harness.Udp.Waiting >= Math.Min(sent, 1_000));
        }

        // Nothing is received any more, so the kernel's buffer fills up.
        while (harness.Udp.KernelDrops == 0)
        {
            sent.ShouldBeLessThan(5_000);
            await harness.SendAsync(Encoding.ASCII.GetBytes($"{sent++}"));
        }

        Volatile.Write(ref isOver, true);
        int received = sent - (int)harness.Udp.KernelDrops;
        await harness.UntilAsync(() =>
        {
            harness.Time.Advance(TimeSpan.FromMinutes(1));
            return harness.Udp.Unsettled == 0 && harness.Intake.Accepted == abandoned + received;
        });
        await harness.FinishAsync();

        // A batch may be in flight when the last slot is taken.
        abandoned.ShouldBeInRange(1_000, 1_064);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stop_SinkFailsWhileTheKernelIsRead_EachEndsAsADeadLetter(bool isPortable)
    {
        await using UdpSourceHarness harness = Create(isPortable);
        int sent = Math.Min(1_500, EffectiveBuffer(harness.Options.ReceiveBuffer) / 1_280);
        harness.Intake.Pause();
        await harness.StartAsync();
        for (int i = 0; i < sent; i++)
        {
            await harness.PublishAsync(Encoding.ASCII.GetBytes($"{i}"));
        }

        await harness.StopReceivingAsync();
        harness.Udp.KernelDrops.ShouldBe(0);
        ConcurrentDictionary<string, bool> delivered = new(StringComparer.Ordinal);
        harness.Intake.Script = delivery =>
        {
            delivered[delivery.Id] = true;
            return Settlement.Abandon(TimeSpan.Zero);
        };
        harness.Intake.Resume();
        using CancellationTokenSource limit = new();
        Task draining = harness.Source.DrainAsync(harness.Intake, limit.Token);
        await harness.UntilAsync(() => harness.Intake.Accepted >= 5_000);
        await harness.UntilAsync(() => harness.Udp.Waiting >= 1);
        harness.Udp.Waiting.ShouldBeLessThanOrEqualTo(1_000 + 64 + 64);

        await limit.CancelAsync();
        await draining.WaitAsync(TimeSpan.FromSeconds(30));
        await harness.UntilAsync(() => harness.Intake.Unsettled == 0);
        await harness.Source.CloseAsync(CancellationToken.None);

        string[] setAside = [.. harness.DeadLetters.Messages.Select(letter => letter.Id)];
        setAside.ShouldBeUnique();
        delivered.Keys.Except(setAside, StringComparer.Ordinal).ShouldBeEmpty("Every message accepted once ends as a dead letter.");
        (setAside.Length == sent || harness.Log.Entries.Any(entry => entry.Id.Id == 3404)).ShouldBeTrue(
            "Datagrams not read from the kernel are logged as lost.");
        harness.Udp.Unsettled.ShouldBe(0);
    }

    [Fact]
    public async Task Check_PortIsTaken_SaysWhatToDo()
    {
        using Socket other = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        other.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        await using UdpSourceHarness harness = Create(false, options => options.Endpoint = other.LocalEndPoint!.ToString()!);

        StartupException exception = await Should.ThrowAsync<StartupException>(() => harness.Source.CheckAsync(CancellationToken.None));

        exception.Message.ShouldContain("Sources:Udp:Endpoint");
        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
    }

    [Fact]
    public async Task Check_KernelGivesLess_SaysSo()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The cap is Linux's.");
        await using UdpSourceHarness harness = Create(false, options => options.ReceiveBuffer = 1 << 30);

        await harness.Source.CheckAsync(CancellationToken.None);

        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3401 && entry.Text.Contains("net.core.rmem_max", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(false, "[::1]:0", "::1")]
    [InlineData(false, "[::]:0", "::1")]
    [InlineData(false, "[::]:0", "127.0.0.1")]
    [InlineData(true, "[::]:0", "127.0.0.1")]
    public async Task Receive_OverIPv6_Works(bool isPortable, string endpoint, string target)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "No IPv6 here.");
        await using UdpSourceHarness harness = Create(isPortable, options =>
        {
            options.Endpoint = endpoint;
            options.MaxMessageBytes = 10;
        });
        await harness.StartAsync();
        IPEndPoint to = new(IPAddress.Parse(target), ((IPEndPoint)harness.Udp.Endpoint!).Port);
        using Socket sender = new(to.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        await sender.SendToAsync(new byte[11], to);
        await sender.SendToAsync("six"u8.ToArray(), to);

        Delivery delivery = await harness.Intake.NextAsync();

        delivery.Body.ShouldBe("six"u8.ToArray());
        harness.Log.Entries.ShouldContain(entry => entry.Id.Id == 3402 && entry.Text.Contains(target, StringComparison.Ordinal), "The sender is named.");
        await delivery.SettleAsync(Settlement.Complete);
        await harness.FinishAsync();
    }

    /// <summary>The bytes that the kernel grants of a receive buffer. It counts up to 1,280 for a small datagram.</summary>
    private static int EffectiveBuffer(int wanted)
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = wanted };
        return socket.ReceiveBufferSize;
    }

    private static UdpSourceHarness Create(bool isPortable, Action<UdpSourceOptions>? configure = null) => new(configure, isPortable);
}
