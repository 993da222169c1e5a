namespace Messaging.CloudFront.Documents;

/// <summary>
/// Which row a document was made of: the rows in order, without those that were set aside. Those are few, for a log with many fails.
/// Threads: one adds, any ask.
/// </summary>
internal sealed class RowNumbers
{
    private readonly Lock _lock = new();
    private readonly List<long> _left = [];

    /// <summary>A row became no document. Called in the order of rows.</summary>
    public void LeaveOut(long number)
    {
        lock (_lock)
        {
            _left.Add(number);
        }
    }

    /// <summary>The row of a document.</summary>
    /// <param name="document">From 0, in the order they were written.</param>
    public long Of(long document)
    {
        long number = document + 1;
        lock (_lock)
        {
            foreach (long left in _left)
            {
                if (left > number)
                {
                    break;
                }

                number++;
            }
        }

        return number;
    }
}
