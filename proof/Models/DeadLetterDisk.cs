using System.Text;
using Proof.Simulation;
using Quayside.Messaging.DeadLetters;

namespace Proof.Models;

/// <summary>A store of dead letters, in the worlds without a folder, that is slow or full at times. Its content outlives every process.</summary>
internal sealed class DeadLetterDisk(World world)
{
    private readonly List<(DeadLetter Letter, byte[] Body)> _letters = [];

    public IReadOnlyList<(DeadLetter Letter, byte[] Body)> Letters => _letters;

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

            disk._letters.Add((letter, body.ToArray()));
            world.Trace("dead letter", Encoding.UTF8.GetString(body.Span));
            return letter.SourceId;
        }
    }

    private World World => world;
}
