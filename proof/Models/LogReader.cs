using Proof.Simulation;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.CloudFront.Objects;

namespace Proof.Models;

/// <summary>Requests for logs, as one process sends them: slow, refused, without an answer, or broken within the object.</summary>
internal sealed class LogReader(World world, ProcessTime process) : ILogObjects
{
    private static readonly TimeSpan Stall = TimeSpan.FromMinutes(5);

    public async ValueTask<S3ObjectContent> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken)
    {
        FaultRates faults = world.StoreFaults;
        double fate = world.Random.NextDouble();
        bool isLost = SimulatedWire.Takes(ref fate, faults.LostRequest);
        bool isRefused = SimulatedWire.Takes(ref fate, faults.Error);
        bool isStalled = SimulatedWire.Takes(ref fate, faults.Stall);
        bool breaks = SimulatedWire.Takes(ref fate, faults.LostAnswer);
        bool stallsWithin = isStalled && world.Random.Next(2) == 0;
        TimeSpan latency = isStalled && !stallsWithin ? Stall : SimulatedWire.Latency(faults, world.Random);
        LogModel.Log? log = world.Logs.Find(wanted.Key);
        int brokenAt = breaks || stallsWithin ? world.Random.Next(log?.Content.Length ?? 0) : int.MaxValue;
        await Task.Delay(latency < limit ? latency : limit, process, cancellationToken);
        world.Trace("log", wanted.Key);
        if (latency >= limit)
        {
            world.Meets(Fault.IndexLogStalls);
            return new S3ObjectContent(S3Fault.Of(new TimeoutException(), timedOut: true));
        }

        if (isLost)
        {
            world.Meets(Fault.IndexLogBreaks);
            return new S3ObjectContent(S3Fault.Of(new HttpRequestException("The connection broke.")));
        }

        if (world.Store.IsDown || isRefused)
        {
            world.Meets(world.Store.IsDown ? Fault.IndexIsDown : Fault.IndexLogIsRefused);
            return new S3ObjectContent(S3Fault.OfAnswer(new AwsError(503, "SlowDown", "")));
        }

        if (log is null)
        {
            world.Meets(Fault.IndexLogIsMissing);
            return new S3ObjectContent(S3Fault.OfAnswer(new AwsError(404, "NoSuchKey", "")));
        }

        return new S3ObjectContent(new Answer(world, process, log.Content, brokenAt, stallsWithin), log.Content.Length, "etag");
    }

    public void Dispose()
    {
    }

    private sealed class Answer(World world, ProcessTime process, byte[] content, int brokenAt, bool stalls) : MemoryStream(content, writable: false)
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            bool isBroken = Position >= brokenAt;
            await Task.Delay(isBroken && stalls ? Stall : TimeSpan.FromMilliseconds(world.Random.Next(1, 20)), process, cancellationToken);
            if (isBroken)
            {
                world.Meets(stalls ? Fault.IndexLogStalls : Fault.IndexLogBreaks);
                throw new IOException("Connection reset by peer");
            }

            int most = (int)Math.Min(world.Random.Next(1, 2_000), brokenAt - Position);
            return Read(buffer.Span[..Math.Min(buffer.Length, most)]);
        }
    }
}
