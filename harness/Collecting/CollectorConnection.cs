using System.IO.Pipes;
using System.Text.Json;
using System.Threading.Channels;
using Quayside.Messaging.Configuration;

namespace Harness.Collecting;

/// <summary>
/// The measured process's end of the connection: it reports the progress of the run to the collecting process and waits for the answer.
/// When the collecting process dies, this process ends too. Nothing here allocates within the measured span.
/// </summary>
internal sealed class CollectorConnection : IDisposable
{
    public const string Running = "running";
    public const string Begin = "begin";
    public const string End = "end";
    public const string Done = "done";
    public const string Failed = "failed: ";

    // Time for a cancelled run to clean up; a run that waits for Enter does not notice the cancellation.
    private static readonly TimeSpan CleanUpLimit = TimeSpan.FromSeconds(2);

    private readonly AnonymousPipeClientStream _requests;
    private readonly StreamWriter _writer;
    private readonly StreamReader _reader;
    private readonly Channel<string> _replies = Channel.CreateUnbounded<string>(new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });
    private readonly CancellationTokenSource _orphaned = new();

    private CollectorConnection(string requests, string replies)
    {
        _requests = new AnonymousPipeClientStream(PipeDirection.Out, requests);
        _writer = new StreamWriter(_requests) { AutoFlush = true };
        _reader = new StreamReader(new AnonymousPipeClientStream(PipeDirection.In, replies));
        new Thread(Read) { IsBackground = true, Name = "collector" }.Start();
    }

    /// <summary>True in a child that is measured.</summary>
    public static bool IsMeasured => Environment.GetEnvironmentVariable(MeasuredProcess.PipesVariable) is not null;

    /// <summary>Cancelled when the collecting process has ended.</summary>
    public CancellationToken Orphaned => _orphaned.Token;

    /// <summary>The connection, in a child that is measured; null in a process that a user started.</summary>
    public static CollectorConnection? Open() =>
        Environment.GetEnvironmentVariable(MeasuredProcess.PipesVariable)?.Split(',') is [string requests, string replies]
            ? new CollectorConnection(requests, replies)
            : null;

    /// <exception cref="StartupException">The collecting process failed.</exception>
    public async Task<string> AskAsync(string request, CancellationToken cancellationToken)
    {
        await _writer.WriteLineAsync(request.AsMemory(), cancellationToken);
        string reply = await _replies.Reader.ReadAsync(cancellationToken);
        return reply.StartsWith(Failed, StringComparison.Ordinal)
            ? throw new StartupException($"Collecting failed: {reply[Failed.Length..]}", ExitCodes.Software)
            : reply;
    }

    public async Task<CollectedAllocations> EndAsync(CancellationToken cancellationToken) =>
        JsonSerializer.Deserialize(await AskAsync(End, cancellationToken), CollectorJson.Default.CollectedAllocations)!;

    public void Dispose() => _writer.Dispose();

    private void Read()
    {
        while (_reader.ReadLine() is { } reply)
        {
            _replies.Writer.TryWrite(reply);
        }

        _orphaned.Cancel();
        Thread.Sleep(CleanUpLimit);
        Environment.Exit(ExitCodes.Software);
    }
}
