namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>
/// Maps a document to its row: documents follow the order of the rows, without the bad ones. Bad rows are few, because a log with many
/// of them fails. Threads: one adds, any read.
/// </summary>
internal sealed class RowNumbers
{
    private readonly Lock _lock = new();
    private readonly List<long> _left = [];

    /// <summary>Records a row that became no document. Called in the order of the rows.</summary>
    public void LeaveOut(long number)
    {
        lock (_lock)
        {
            _left.Add(number);
        }
    }

    /// <summary>The row of a document.</summary>
    /// <param name="document">Index of the document, from 0, in the order of writing.</param>
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
