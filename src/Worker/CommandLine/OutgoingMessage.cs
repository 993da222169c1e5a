namespace Worker.CommandLine;

/// <summary>A message to send to a source from outside.</summary>
/// <param name="Id">Its id; the source may take it as a header.</param>
/// <param name="Body">Its bytes.</param>
internal sealed record OutgoingMessage(string Id, ReadOnlyMemory<byte> Body);
