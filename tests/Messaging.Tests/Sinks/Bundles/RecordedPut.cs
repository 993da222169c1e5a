using System.IO.Compression;
using System.Text;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>One object that reached the inner sink, with a pending answer.</summary>
internal sealed class RecordedPut(string key, byte[] bytes, CancellationToken cancellationToken)
{
    private readonly TaskCompletionSource<SinkResult> _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string Key { get; } = key;

    public byte[] Bytes { get; } = bytes;

    public CancellationToken CancellationToken { get; } = cancellationToken;

    public Task<SinkResult> Answered => _answer.Task.WaitAsync(CancellationToken);

    /// <summary>The object's lines, without line ends.</summary>
    public string[] Lines => LinesOf(Bytes);

    public static string[] LinesOf(byte[] gzip)
    {
        using GZipStream stream = new(new MemoryStream(gzip), CompressionMode.Decompress);
        using StreamReader reader =
            new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true), detectEncodingFromByteOrderMarks: false);
        string text = reader.ReadToEnd();
        text.ShouldEndWith("\n");
        return text[..^1].Split('\n');
    }

    public void Answer(SinkResult result) => _answer.SetResult(result);

    public void Answer(SinkStatus status) => Answer(new SinkResult(status, Detail: status.ToString()));

    public void Throw(Exception exception) => _answer.SetException(exception);
}
