using System.Buffers;

namespace Benchmarks.CloudFront;

/// <summary>Records in an array of the pool.</summary>
internal sealed class LogRecords : IDisposable
{
    private LogRecord[] _records = ArrayPool<LogRecord>.Shared.Rent(10_000);

    public ReadOnlySpan<LogRecord> First(int count) => _records.AsSpan(0, count);

    public void Set(int index, LogRecord record)
    {
        if (index == _records.Length)
        {
            LogRecord[] larger = ArrayPool<LogRecord>.Shared.Rent(index * 2);
            _records.CopyTo(larger, 0);
            ArrayPool<LogRecord>.Shared.Return(_records, clearArray: true);
            _records = larger;
        }

        _records[index] = record;
    }

    public void Dispose() => ArrayPool<LogRecord>.Shared.Return(_records, clearArray: true);
}
