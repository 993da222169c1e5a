using Quayside.Messaging.Console;

namespace Messaging.Tests.CommandLine;

public sealed class PrintedCommandTests
{
    [Theory]
    [InlineData("worker --config=/etc/orders.json", " --config /etc/orders.json")]
    [InlineData("worker status -c /etc/orders.json", " --config /etc/orders.json")]
    [InlineData("worker --Intake:Concurrency=8", "")]
    [InlineData("worker --config", "")]
    public void Config_OfACommandLine_IsRepeatedInThoseThatArePrinted(string commandLine, string option)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Paths have drives there.");
        PrintedCommand.ConfigOf(commandLine.Split(' ')).ShouldBe(option);
    }

    [Fact]
    public void Of_AWorkerElsewhere_NamesItsAddressAndTheWholePathOfTheProgram()
    {
        PrintedCommand.Of("status", new Uri("http://10.0.0.1:9000/x")).ShouldBe($"{PrintedCommand.Program} status --url http://10.0.0.1:9000");
        Path.IsPathFullyQualified(PrintedCommand.Program.Split("dotnet ")[^1].Trim('"')).ShouldBeTrue(PrintedCommand.Program);
    }
}
