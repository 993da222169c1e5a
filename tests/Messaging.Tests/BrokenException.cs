namespace Messaging.Tests;

/// <summary>An exception of foreign code whose message cannot be read.</summary>
internal sealed class BrokenException : Exception
{
    public override string Message => throw new InvalidOperationException("no message");
}
