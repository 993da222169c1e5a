using System.Text.Json;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http.Sending;

/// <summary>
/// Limits how long a sender waits for a worker that refuses connections. A restarting worker is back within its drain timeout and a few seconds; a worker
/// that has never answered is probably not running. Threads: any.
/// </summary>
/// <param name="target">The worker's address, for the notice.</param>
/// <param name="time">The clock of the limit.</param>
/// <param name="notice">Receives one line per outage. Called under a lock.</param>
internal sealed class WorkerOutage(string target, TimeProvider time, Action<string> notice)
{
    /// <summary>The limit for a worker that has answered before: the default drain timeout of 25 s, 8 s for its dead letters, and its start.</summary>
    public static readonly TimeSpan RestartLimit = TimeSpan.FromSeconds(60);

    /// <summary>The limit for a worker that has never answered, such as one that a script has just started.</summary>
    public static readonly TimeSpan FirstLimit = TimeSpan.FromSeconds(5);

    // Answers to earlier requests end an outage for a moment, which must not cause a second notice.
    private static readonly TimeSpan NoticeInterval = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private bool _hasAnswered;
    private long? _since;
    private long? _noticed;

    public void End()
    {
        lock (_lock)
        {
            _hasAnswered = true;
            _since = null;
        }
    }

    /// <summary>A connection failed.</summary>
    /// <returns>False when the limit has passed.</returns>
    public bool MayWait(string error)
    {
        lock (_lock)
        {
            TimeSpan limit = _hasAnswered ? RestartLimit : FirstLimit;
            if (_since is { } since)
            {
                return time.GetElapsedTime(since) < limit;
            }

            _since = time.GetTimestamp();
            if (_noticed is { } noticed && time.GetElapsedTime(noticed) < NoticeInterval)
            {
                return true;
            }

            _noticed = _since;
            notice($"{target} cannot be reached ({error}); retrying for up to {limit.TotalSeconds:N0} s.");
            return true;
        }
    }
}

/// <summary>The answer to <c>POST /messages</c>, parsed as the JSON of a worker. The texts are untrusted.</summary>
/// <param name="Id">The message's id; null where the answer has none.</param>
/// <param name="Status"><c>stored</c> or <c>dead-lettered</c>; null where the answer has none.</param>
/// <param name="Code">The reason of a dead letter, or the code of an error; null where the answer has none.</param>
/// <param name="Text">The description of either; null where the answer has none.</param>
internal sealed record WorkerAnswer(string? Id, string? Status, string? Code, string? Text)
{
    /// <returns>Null when the answer is not a JSON object.</returns>
    public static WorkerAnswer? Parse(ReadOnlyMemory<byte> body)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(body);
            JsonElement root = document.RootElement;
            return root.ValueKind == JsonValueKind.Object
                ? new WorkerAnswer(
                    Read(root, "id"), Read(root, "status"), Read(root, "reason") ?? Read(root, "error"), Read(root, "description") ?? Read(root, "message"))
                : null;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // Not JSON, or a string with an invalid escape.
            return null;
        }
    }

    /// <summary>
    /// True when the answer confirms that the message with this id is stored, or completed by a handler without a sink. Any server can send a mere success
    /// status.
    /// </summary>
    public bool IsStored(string id) => Status is "stored" or "completed" && Id == id;

    /// <summary>Describes an answer other than "stored" in one printable line.</summary>
    public static string Describe(int status, WorkerAnswer? answer, ReadOnlySpan<byte> body) => answer is { Code: not null }
        ? $"{status} {UntrustedText.Shorten(answer.Status ?? answer.Code)}: "
            + $"{UntrustedText.Shorten(answer.Status is null ? answer.Text : $"{answer.Code}: {answer.Text}")}"
        : $"{status}: {UntrustedText.Shorten(body)}";

    private static string? Read(JsonElement root, string name) =>
        root.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}
