using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.Hosting;

public sealed class ShutdownSignalsTests
{
    [Fact]
    public void Attach_AfterTheSignal_IsCalledImmediately()
    {
        using ShutdownSignals signals = new();
        ConcurrentQueue<string> told = [];
        signals.Receive(PosixSignal.SIGTERM);

        signals.Attach((signal, number) => told.Enqueue($"{signal} {number}"));

        told.ShouldBe(["SIGTERM 1"]);
        signals.IsReceived.ShouldBeTrue();
    }

    [Fact]
    public void Receive_SecondSignalBeforeAReactionToTheFirst_CountsAsTheSecond()
    {
        using ShutdownSignals signals = new();
        ConcurrentQueue<string> told = [];
        signals.Attach((signal, number) => told.Enqueue($"{signal} {number}"));

        signals.Receive(PosixSignal.SIGTERM);
        signals.Receive(PosixSignal.SIGTERM);
        signals.Receive(PosixSignal.SIGINT);

        told.ShouldBe(["SIGTERM 1", "SIGTERM 2", "SIGINT 3"]);
    }

    [Theory]
    [InlineData(PosixSignal.SIGHUP, PosixSignal.SIGTERM)]
    [InlineData(PosixSignal.SIGTERM, PosixSignal.SIGHUP)]
    [InlineData(PosixSignal.SIGHUP, PosixSignal.SIGHUP)]
    public void Receive_HangupBesideARequest_IsOneSignal(PosixSignal first, PosixSignal second)
    {
        // A closing terminal hangs up twice, and systemd's SendSIGHUP sends one behind SIGTERM: neither ends the drain.
        using ShutdownSignals signals = new();
        ConcurrentQueue<string> told = new();
        signals.Attach((signal, number) => told.Enqueue($"{signal} {number}"));

        signals.Receive(first);
        signals.Receive(second);

        told.ShouldBe([$"{first} 1"]);
    }

    [Fact]
    public void Receive_TwoRequestsAfterAHangup_TheSecondEndsTheDrain()
    {
        using ShutdownSignals signals = new();
        ConcurrentQueue<string> told = new();
        signals.Attach((signal, number) => told.Enqueue($"{signal} {number}"));

        signals.Receive(PosixSignal.SIGHUP);
        signals.Receive(PosixSignal.SIGTERM);
        signals.Receive(PosixSignal.SIGINT);

        told.ShouldBe(["SIGHUP 1", "SIGINT 2"]);
    }

    [Fact]
    public void Install_InstalledBefore_ReturnsFalse()
    {
        using ShutdownSignals signals = new();

        signals.Install().ShouldBeTrue();
        signals.Install().ShouldBeFalse();
    }
}
