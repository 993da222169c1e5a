using Quayside.Messaging.Hosting;

namespace Quayside.Messaging.Testing;

/// <summary>
/// What <see cref="HandlerContract"/> needs to know of a handler: how it is added, what its messages are, and what they have done. One harness serves one test.
/// </summary>
public abstract class HandlerHarness : IAsyncDisposable
{
    /// <summary>The name that <see cref="Configure"/> adds the handler under.</summary>
    public abstract string Handler { get; }

    /// <summary>Settings beside the route, such as those of the handler.</summary>
    public virtual IEnumerable<KeyValuePair<string, string?>> Configuration => [];

    /// <summary>Bodies that the handler must dead-letter, such as a row that its table refuses; empty when it accepts every body that it can read.</summary>
    public virtual IReadOnlyList<byte[]> RefusedMessages => [];

    /// <summary>True when <see cref="SetFailingAsync"/> can make the handler's store fail.</summary>
    public virtual bool CanFail => false;

    /// <summary>Adds the handler with what it needs. Called for each worker; the effects of an earlier one stay.</summary>
    public abstract void Configure(IMessageWorkerBuilder worker);

    /// <summary>The body of a valid message. Different numbers have different effects.</summary>
    public abstract byte[] CreateMessage(int number);

    /// <summary>Everything that messages have done so far, such as the rows of a table: one entry per effect, in any order, read without the handler.</summary>
    public abstract Task<IReadOnlyList<string>> ReadEffectsAsync();

    /// <summary>Makes the handler's store fail, or work again, for example by stopping a server or locking a table.</summary>
    public virtual Task SetFailingAsync(bool failing) => throw new NotSupportedException();

    /// <inheritdoc/>
    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return default;
    }
}
