using Proof.Simulation;

namespace Proof.Models;

/// <summary>The network between one worker process and a service. Requests of a process that died may still arrive; it gets no answers.</summary>
internal sealed class SimulatedWire(World world, ProcessTime process, IService service, Func<FaultRates> rates, string name) : HttpMessageHandler
{
    private static readonly TimeSpan Fast = TimeSpan.FromMilliseconds(50);

    /// <summary>Called with each request, and a task that ends with its answer, or when the process gives it up.</summary>
    public Action<ServiceRequest, Task>? Sending { get; init; }

    /// <summary>Called with each answer of the service that reaches a caller who still waits for it, and its request.</summary>
    public Action<ServiceRequest, ServiceAnswer>? Answered { get; init; }

    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        TaskCompletionSource<HttpResponseMessage> answered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!process.IsAlive)
        {
            return answered.Task;
        }

        ServiceRequest sent = Read(request);
        Sending?.Invoke(sent, answered.Task);
        cancellationToken.UnsafeRegister(_ => answered.TrySetCanceled(cancellationToken), null);
        FaultRates faults = rates();
        Random random = world.Random;
        TimeSpan there = Latency(faults, random);
        TimeSpan back = Latency(faults, random);
        if (there > Fast || back > Fast)
        {
            world.Meets(Of(Fault.StoreIsSlow, Fault.IndexIsSlow, Fault.SqsIsSlow));
        }

        double fate = random.NextDouble();
        bool isLost = Takes(ref fate, faults.LostRequest);
        bool isRefused = Takes(ref fate, faults.Error);
        bool isStalled = Takes(ref fate, faults.Stall);
        bool losesAnswer = Takes(ref fate, faults.LostAnswer);
        bool arrivesFirst = random.Next(2) == 0;
        int draw = random.Next();

        void Deliver(Action action) => world.Time.Schedule(back, () =>
        {
            if (process.IsAlive)
            {
                action();
            }
        });

        void Break() => Deliver(() => answered.TrySetException(new HttpRequestException("The connection broke.", new IOException("Connection reset by peer"))));

        world.Time.Schedule(there, () =>
        {
            if (isLost)
            {
                world.Meets(Of(Fault.StoreLosesRequest, Fault.IndexLosesRequest, Fault.SqsLosesRequest));
                world.Trace($"{name} lost", sent.Operation);
                Break();
                return;
            }

            if (isRefused)
            {
                world.Meets(Of(Fault.StoreRefuses, Fault.IndexRefuses, Fault.SqsRefuses));
                world.Trace($"{name} refused", sent.Operation);
                Deliver(() => answered.TrySetResult(service.Unavailable(draw).ToResponse()));
                return;
            }

            if (isStalled)
            {
                world.Meets(Of(Fault.StoreStalls, Fault.IndexStalls, Fault.SqsStalls));
            }

            if (isStalled && !arrivesFirst)
            {
                world.Trace($"{name} stalled", sent.Operation);
                return;
            }

            service.Handle(sent, answer =>
            {
                world.Trace($"{name} {(int)answer.Status}{(isStalled ? " stalled" : losesAnswer ? " answer lost" : string.Empty)}", sent.Operation);
                if (losesAnswer)
                {
                    world.Meets(Of(Fault.StoreLosesAnswer, Fault.IndexLosesAnswer, Fault.SqsLosesAnswer));
                    Break();
                }
                else if (!isStalled)
                {
                    Deliver(() =>
                    {
                        if (!answered.Task.IsCompleted)
                        {
                            Answered?.Invoke(sent, answer);
                        }

                        answered.TrySetResult(answer.ToResponse());
                    });
                }
            });
        });
        return answered.Task;
    }

    private Fault Of(Fault store, Fault index, Fault sqs) => service switch
    {
        StoreModel => store,
        IndexModel => index,
        _ => sqs,
    };

    /// <summary>True when a draw falls into a share, which it then has left.</summary>
    public static bool Takes(ref double fate, double share)
    {
        bool taken = fate >= 0 && fate < share;
        fate = taken ? -1 : fate - share;
        return taken;
    }

    public static TimeSpan Latency(in FaultRates faults, Random random) => random.NextDouble() < faults.Slow
        ? TimeSpan.FromMilliseconds(random.Next(100, 15_000))
        : TimeSpan.FromMilliseconds(1 + (random.NextDouble() * 20));

    private static ServiceRequest Read(HttpRequestMessage request)
    {
        using MemoryStream body = new();
        if (request.Content is { } content)
        {
            Task copying = content.CopyToAsync(body);
            if (!copying.IsCompletedSuccessfully)
            {
                throw new InvalidOperationException("A request's body must be complete when it is sent.");
            }
        }

        string operation = request.Headers.NonValidated.TryGetValues("X-Amz-Target", out System.Net.Http.Headers.HeaderStringValues target)
            ? target.ToString()["AmazonSQS.".Length..]
            : request.Method.Method;
        return new ServiceRequest(request.Method.Method, request.RequestUri!.AbsolutePath, operation, body.ToArray());
    }
}
