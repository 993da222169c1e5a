namespace Integration.Tests.Processes;

/// <param name="Index">Position among all lines of the process; pass <c>Index + 1</c> to wait for a later line.</param>
/// <param name="IsError">Written to standard error.</param>
/// <param name="Text">The line without its terminator.</param>
internal readonly record struct CapturedLine(int Index, bool IsError, string Text)
{
    public override string ToString() => IsError ? $"! {Text}" : $"  {Text}";
}
