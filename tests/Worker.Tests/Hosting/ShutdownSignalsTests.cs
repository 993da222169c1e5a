using System.Runtime.InteropServices;
using Quayside.Messaging.Hosting;

namespace Worker.Tests.Hosting;

public sealed class ShutdownSignalsTests
{
    [Fact]
    public void Attach_AfterTheSignal_IsCalledImmediately()
    {
        using ShutdownSignals signals = new();
        List<string> told = [];
        signals.Receive(PosixSignal.SIGTERM);

        signals.Attach((signal, number) => told.Add($"{signal} {number}"));

        told.ShouldBe(["SIGTERM 1"]);
        signals.IsReceived.ShouldBeTrue();
    }

    [Fact]
    public void Receive_SecondSignalBeforeAReactionToTheFirst_CountsAsTheSecond()
    {
        using ShutdownSignals signals = new();
        List<string> told = [];
        signals.Attach((signal, number) => told.Add($"{signal} {number}"));

        signals.Receive(PosixSignal.SIGTERM);
        signals.Receive(PosixSignal.SIGTERM);
        signals.Receive(PosixSignal.SIGINT);

        told.ShouldBe(["SIGTERM 1", "SIGTERM 2", "SIGINT 3"]);
    }

    [Fact]
    public void Install_InstalledBefore_ReturnsFalse()
    {
        using ShutdownSignals signals = new();

        signals.Install().ShouldBeTrue();
        signals.Install().ShouldBeFalse();
    }
}
