using System.Text;
using BenchmarkDotNet.Attributes;
using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.JsonPooling;

/// <summary>An object of 250 bytes as JSON.</summary>
public class JsonPoolingBenchmarks
{
    private readonly ReplyWriter _writer = new();
    private readonly Reply _reply = ReplySample.Create();

    [GlobalSetup]
    public void Setup()
    {
        using PooledBuffer ours = _writer.Write(_reply);
        Agreement.Require(Text(NewStringBuilder()), Text(PooledStringBuilder()), Text(Utf8Bytes()), Text(ours.WrittenSpan));
        Agreement.Require(ours.Length, PooledWriter());
    }

    [Benchmark(Baseline = true)]
    public byte[] NewStringBuilder() => ReplyJson.NewBuilder(_reply);

    [Benchmark]
    public byte[] PooledStringBuilder() => ReplyJson.PooledBuilder(_reply);

    [Benchmark]
    public byte[] Utf8Bytes() => ReplyJson.Utf8Bytes(_reply);

    /// <summary>As in the worker: the buffer is passed on, no array is allocated.</summary>
    [Benchmark]
    public int PooledWriter()
    {
        using PooledBuffer buffer = _writer.Write(_reply);
        return buffer.Length;
    }

    private static string Text(ReadOnlySpan<byte> utf8) => Encoding.UTF8.GetString(utf8);
}
