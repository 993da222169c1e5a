namespace Messaging.CloudFront.Rows;

/// <summary>Takes the rows of one log, in order.</summary>
internal interface ILogRows
{
    /// <summary>Takes a row that has as many columns as the log says.</summary>
    /// <returns>False to pause: the parser returns behind this row.</returns>
    bool Take(in LogRow row);

    /// <summary>Takes a row that cannot be read.</summary>
    /// <param name="number">Which, as <see cref="LogRow.Number"/>.</param>
    /// <param name="text">Its bytes, or the first of them when there are too many. A borrow.</param>
    /// <param name="fault">Why.</param>
    /// <returns>False to pause: the parser returns behind this row.</returns>
    bool TakeBad(long number, ReadOnlySpan<byte> text, RowFault fault);
}
