using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sources;

namespace Benchmarks.Sockets.Receiving;

/// <summary>The services of a source that runs alone: no log, and no dead letter is expected.</summary>
internal sealed class NullSourceServices : IDeadLetterStore
{
    // The setting of a route for many small messages.
    private const int Concurrency = 256;

    public static SourceServices Create() => new()
    {
        Route = "bench",
        Services = new ServiceCollection().BuildServiceProvider(),
        DeadLetters = new NullSourceServices(),
        Concurrency = Concurrency,
    };

    public ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        throw new InvalidOperationException("Nothing is dead-lettered here.");
}
