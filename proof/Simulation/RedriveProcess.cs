using Amazon.Runtime;
using Proof.Models;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;
using Quayside.Pipeline.Buffers;

namespace Proof.Simulation;

/// <summary>One run of <c>redrive --from sqs</c>, while the workers dead-letter what they cannot store.</summary>
internal sealed class RedriveProcess(World world, bool isFifo, Defect defect)
{
    // Longer than 60 dead letters take with the slowest answers.
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(30);

    private readonly ProcessTime _time = new(world.Time);
    private readonly CancellationTokenSource _stop = new();

    public bool HasEnded { get; private set; }

    public void Start()
    {
        world.Meets(Fault.SqsIsRedriven);
        _ = RunAsync();
        world.Time.Schedule(Longest, () =>
        {
            if (!HasEnded)
            {
                world.Fail($"redrive has not ended after {Longest.TotalMinutes} minutes");
            }
        });
    }

    /// <summary>SIGKILL.</summary>
    public void Kill()
    {
        _time.IsAlive = false;
        HasEnded = true;
    }

    /// <summary>SIGINT.</summary>
    public void Interrupt() => _stop.Cancel();

    private async Task RunAsync()
    {
        BufferPool buffers = new();
        SqsSourceOptions options = new() { Queue = QueueModel.Name(isFifo) };
        RedriveCalls observed = new(world);
        SqsClient client = new(
            new AwsEndpoint(new Uri("http://sqs.simulated"), "eu-west-1", IsCustom: true),
            new AwsCredentialSource(() => Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKIDTEST", "secret")), _time),
            new AwsClock(_time),
            PlantedWire.Wrap(
                new SimulatedWire(world, _time, world.Queue, () => world.QueueFaults, "sqs") { Sending = observed.Sending, Answered = observed.Answered },
                defect, world.Time),
            buffers,
            _time,
            new SqsWireOptions());
        RedriveRequest request = new(Reason: null, int.MaxValue, DryRun: false, Url: null, Route: null);
        try
        {
            await using SqsDeadLetterQueue queue = new(client, options, _time);
            RedriveResult result =
                await new DeadLetterMover(queue, request, new CommandServices(_time, TextWriter.Null, TextWriter.Null)).RunAsync(_stop.Token);
            world.Trace("redrive", $"{result.Found} found, {result.Sent} sent, {result.LeftCount} left, {result.AgainCount} again; {result.Ended}");
        }
        catch (Exception exception) when (exception is StartupException or OperationCanceledException)
        {
            world.Trace("redrive", exception.Message);
        }
        catch (Exception exception)
        {
            world.Fail($"redrive failed: {exception}");
        }

        HasEnded = true;
        if (buffers.Outstanding > 0)
        {
            world.Fail($"{buffers.Outstanding} buffers of redrive were not returned");
        }
    }
}
