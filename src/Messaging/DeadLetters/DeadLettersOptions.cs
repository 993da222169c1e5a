using Messaging.Configuration;

namespace Messaging.DeadLetters;

/// <summary>Section <c>DeadLetters</c>: where dead letters of sources without a dead-letter queue are kept.</summary>
internal sealed class DeadLettersOptions : ISelfValidating
{
    [Setting("Folder for dead letters of sources without a dead-letter queue (Channel, Http, Udp, TcpLines) and of single rows of CloudFront logs")]
    public string Path { get; set; } = "dead-letters";

    public void Validate(SettingsCheck check)
    {
        if (Path.Contains('\0', StringComparison.Ordinal))
        {
            check.Fail(nameof(Path), "must be a path without NUL characters.");
        }
    }
}
