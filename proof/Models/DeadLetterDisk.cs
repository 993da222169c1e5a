using System.Text;
using Messaging.DeadLetters;
using Messaging.Sources.Held;
using Proof.Simulation;

namespace Proof.Models;

/// <summary>A disk for dead letters that is slow or full at times. Its content outlives every process.</summary>
internal sealed class DeadLetterDisk(World world)
{
    private readonly List<byte[]> _bodies = [];
    private readonly List<byte[]> _unprocessed = [];

    public IReadOnlyList<byte[]> Bodies => _bodies;

    /// <summary>Bodies that a stop left unprocessed.</summary>
    public IReadOnlyList<byte[]> Unprocessed => _unprocessed;

    /// <summary>The disk as one process sees it.</summary>
    public IDeadLetterStore Open(ProcessTime process) => new Mount(this, process);

    private sealed class Mount(DeadLetterDisk disk, ProcessTime process) : IDeadLetterStore
    {
        public async ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
        {
            World world = disk.World;
            bool isFull = world.Random.NextDouble() < world.StoreFaults.Error;
            await Task.Delay(TimeSpan.FromMilliseconds(1 + (world.Random.NextDouble() * 20)), process, cancellationToken);
            if (isFull)
            {
                world.Meets(Fault.DiskIsFull);
                world.Trace("disk full", letter.SourceId);
                throw new IOException("No space left on device");
            }

            (letter.Reason == HeldLog.UnprocessedReason ? disk._unprocessed : disk._bodies).Add(body.ToArray());
            world.Trace("dead letter", Encoding.UTF8.GetString(body.Span));
            return letter.SourceId;
        }
    }

    private World World => world;
}
