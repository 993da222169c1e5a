namespace Messaging.Archive.ObjectKeys;

/// <summary>
/// Writes a message's id so that different ids give different keys, and no id can leave its level. <c>a-z 0-9 _ -</c> and inner dots
/// stay unchanged; everything else is escaped by <see cref="KeyEscapes"/>. Upper case is escaped too, so that ids that differ only in
/// case are two files even when a file system ignores case.
/// </summary>
internal static class MessageIdEncoding
{
    /// <summary>Maximum bytes of an encoded id.</summary>
    public const int MaxBytes = KeyEscapes.MaxBytes;

    private static readonly KeptBytes Kept = new("abcdefghijklmnopqrstuvwxyz0123456789_-."u8);

    /// <summary>Writes the encoded id.</summary>
    /// <param name="id">Bytes of any kind and length, but not empty.</param>
    /// <param name="destination">At least <see cref="MaxBytes"/> bytes.</param>
    /// <returns>Bytes written.</returns>
    public static int Write(ReadOnlySpan<byte> id, Span<byte> destination) => KeyEscapes.Write(id, Kept, destination);
}
