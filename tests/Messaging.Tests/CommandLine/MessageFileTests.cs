using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.CommandLine;

public sealed class MessageFileTests
{
    [Fact]
    public void Read_EmptyName_IsAUsageError()
    {
        StartupException error = Should.Throw<StartupException>(() => MessageFile.Read(string.Empty));

        error.ExitCode.ShouldBe(ExitCodes.Usage);
        error.Message.ShouldBe("--file \"\": the file does not exist.");
    }
}
