namespace Messaging.Aws.S3.Sink.Concurrency;

/// <summary>The right to have one request in flight; given back by <see cref="ConcurrencyLimiter.Release"/>, whatever happens.</summary>
/// <param name="Number">The how-many-th permit it is, from 1: tells requests from before a decrease from those after it.</param>
internal readonly record struct Permit(long Number)
{
    /// <summary>False when the wait for it was too long.</summary>
    public bool IsGiven => Number != 0;
}
