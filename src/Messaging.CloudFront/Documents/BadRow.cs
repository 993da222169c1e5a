using Messaging.CloudFront.Rows;

namespace Messaging.CloudFront.Documents;

/// <summary>A row that is set aside.</summary>
/// <param name="Number">Which, as <see cref="LogRow.Number"/>.</param>
/// <param name="Fault">Why.</param>
/// <param name="Text">Its bytes, or the first of them. A borrow of the call.</param>
internal readonly record struct BadRow(long Number, RowFault Fault, ReadOnlyMemory<byte> Text);
