using Amazon.Runtime;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Proof.Models;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.CloudFront;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Channels;
using Quayside.Messaging.Storage;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Shared.Hosting;
using Shared.ServiceBus;

namespace Proof.Simulation;

/// <summary>One process of the worker: the real route, source, pipeline and sink, over simulated wires and on the simulation's clock.</summary>
internal sealed class WorkerProcess
{
    // Calls sent before the stop, such as a heartbeat, end after their own timeouts.
    private static readonly TimeSpan LastCalls = TimeSpan.FromMinutes(2);

    private static readonly AWSCredentials Credentials = new BasicAWSCredentials("AKIDTEST", "secret");
    private static readonly IServiceProvider Services = new ServiceCollection().BuildServiceProvider();
    private static readonly Dictionary<(int Concurrency, int Start, string? Envelope), RoutePlan> Plans = [];

    private readonly World _world;
    private readonly ProcessTime _time;
    private readonly MessageRoute _route;
    private readonly DiskMount? _disk;
    private readonly IDeadLetterStore _deadLetters;
    private readonly BufferPool _buffers = new();
    private readonly CancellationTokenSource _stopStarting = new();
    private Task _starting = Task.CompletedTask;
    private readonly bool _isNdjson;
    private MessagesEndpoint? _endpoint;
    private LineListener? _listener;
    private ChannelPublisher? _publisher;
    private ObservedSource? _source;
    private bool _isDisposing;
    private bool _isStopped;
    private int _inFlightAtLimit;

    public WorkerProcess(World world, FaultPlan plan, Defect defect)
    {
        _world = world;
        _time = new ProcessTime(world.Time);
        _isNdjson = plan.MessagesPerRequest > 1;
        _disk = plan.UsesFolder ? world.Disk.Mount(_time, defect) : null;
        _deadLetters = _disk is null
            ? world.DeadLetters.Open(_time)
            : new DirectoryDeadLetterStore(new DeadLettersOptions { Path = DiskModel.Letters }, _time, host: _disk);
        RoutePlan archive = PlanFor(plan.Concurrency, plan.StartConcurrency, plan.Envelope);
        RoutePlan route = archive with
        {
            Sources = [new SourcePlan
            {
                Name = $"{plan.Source}",
                KeepsDeadLetters = !plan.IsQueue,
                HoldsOnlyCopies = plan.Source is SourceKind.Channel or SourceKind.TcpLines,
                IsPushed = plan.Source is SourceKind.Http or SourceKind.ServiceBus,
                Create = services => _source =
                    new ObservedSource(PlantedSource.Wrap(CreateSource(plan, defect, services), defect), world, plan, this, _time, services.Concurrency),
            }],
            Handler = plan.Indexes ? new HandlerPlan { Name = "CloudFront", Compose = AddIndexing } : archive.Handler,
            Sink = new SinkPlan
            {
                Kind = plan.Indexes ? SinkKind.Documents : SinkKind.Objects,
                Create = services => plan.Indexes
                    ? CreateIndex(services)
                    : Bundle(plan, defect, Wrap(plan, PlantedSink.Wrap(CreateSink(plan, defect, services), defect)), services)
            },
        };
        _route = new MessageRoute(route, Services, PlantedDeadLetters.Wrap(_deadLetters, defect), NullLoggerFactory.Instance, _time);
    }

    public bool IsStopping { get; private set; }

    /// <summary>The publisher of a channel; null without one.</summary>
    public ChannelPublisher? Publisher => _publisher;

    /// <summary>Messages in flight, and those that wait in a channel.</summary>
    public int InFlight => _route.InFlight + (_publisher?.Unsettled ?? 0);

    public RouteTotals Totals => _route.Metrics.Totals;

    public CircuitBreaker Breaker => _route.Breaker;

    /// <summary>Connects to the HTTP or TCP source, to send the messages; null while the process does not listen.</summary>
    public Exchange? Connect(QueuedMessage[] messages)
    {
        if (!_time.IsAlive || _isStopped)
        {
            return null;
        }

        return _endpoint is not null ? new HttpExchange(_world, messages, _isNdjson, _endpoint, _time)
            : _listener is not null ? new LineExchange(_world, messages, _listener, _time)
            : null;
    }

    public void Start()
    {
        _starting = StartAsync();
        Watch(_starting);
    }

    /// <summary>Called while nothing is ready to run.</summary>
    public void CheckAtRest()
    {
        if (!_isDisposing)
        {
            _source!.CheckAtRest();
        }
    }

    /// <summary>Ends the process immediately: none of its timers fires, and its connections break.</summary>
    public void Kill()
    {
        _time.IsAlive = false;
        _disk?.End();
        _world.Senders.Break(_time);
        // A stop counts what it could not keep when it ends, so one that is killed has not counted it.
        _world.Publishers.Ended(this, mayBeLost: IsStopping ? long.MaxValue : _publisher?.Unsettled ?? 0);
        _route.Metrics.Unpublish();
    }

    public void Stop(TimeSpan limit, Action stopped)
    {
        IsStopping = true;
        Watch(StopAsync(limit, stopped));
    }

    private async Task StartAsync()
    {
        try
        {
            await _route.CheckAsync(_stopStarting.Token);
        }
        catch (OperationCanceledException) when (IsStopping)
        {
            return;
        }

        if (!IsStopping)
        {
            _route.Start();
        }
    }

    private async Task StopAsync(TimeSpan limit, Action stopped)
    {
        await _stopStarting.CancelAsync();
        await _starting;
        using CancellationTokenSource end = new(limit, _time);
        await using CancellationTokenRegistration atLimit = end.Token.Register(() => _inFlightAtLimit = _route.InFlight);
        bool drained = await _route.DrainAsync(end.Token);
        if (drained && _time.IsAlive)
        {
            CheckSettled();
        }

        _isDisposing = true;
        await _route.DisposeAsync();
        (_deadLetters as IDisposable)?.Dispose();
        if (!_time.IsAlive)
        {
            // Killed while it stopped.
            return;
        }

        _isStopped = true;
        _world.Senders.Break(_time);
        _world.Publishers.Ended(this, mayBeLost: _publisher?.Lost ?? 0);
        stopped();
        await Task.Delay(LastCalls, _time);
        CheckSettled();
        if (_buffers.Outstanding > 0)
        {
            _world.Fail($"{_buffers.Outstanding} buffers were not returned");
        }
    }

    private void CheckSettled()
    {
        RouteTotals totals = Totals;
        long ended = totals.Stored + totals.Returned + totals.DeadLetters - totals.Elements + totals.Lost;

        // An abandoned line waits in the worker; a stop ends it without another delivery.
        long endedAgain = _listener is null ? 0 : totals.Returned;

        // A dead letter whose write hangs when the stop ends counts as lost, and as written if it ends while the process still exists. A
        // message whose store hangs at the limit becomes a dead letter, and counts as stored if that ends.
        long lostAndWritten = _isStopped ? totals.Lost + _inFlightAtLimit : 0;
        bool isSettled = _publisher is null
            ? totals.Received <= ended && ended <= totals.Received + endedAgain + lostAndWritten
            : _publisher.Settled + _publisher.Lost - _publisher.Published is >= 0 and var again && again <= lostAndWritten;
        if (InFlight > 0 || !isSettled)
        {
            _world.Fail($"after a stop {InFlight} slots are in use, and the counts are {totals}");
        }
    }

    private void Watch(Task task) => _ = task.ContinueWith(
        failed => Fail($"the worker failed: {failed.Exception!.InnerException}"),
        CancellationToken.None,
        TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
        TaskScheduler.Default);

    private void Fail(string what)
    {
        if (_time.IsAlive)
        {
            _world.Fail(what);
        }
    }

    private static RoutePlan PlanFor(int concurrency, int start, string? envelope)
    {
        if (!Plans.TryGetValue((concurrency, start, envelope), out RoutePlan? plan))
        {
            string[] settings =
            [
                "--Routes:archive:Sink=Memory", "--Routes:archive:Source=Channel", "--Handlers:Archive:Template={Folder}/{MessageId}",
                $"--Intake:Concurrency={concurrency}", $"--Intake:StartConcurrency={start}", "--Recoverability:MaxDeliveries=1000",
                .. envelope is null ? [] : new[] { $"--Routes:archive:Envelope={envelope}" },
            ];
            plan = WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine(settings).Build()).Routes.Single();
            Plans.Add((concurrency, start, envelope), plan);
        }

        return plan;
    }

    private IMessageSource CreateSource(FaultPlan plan, Defect defect, SourceServices services) => plan.Source switch
    {
        SourceKind.Sqs => CreateSqsSource(plan.IsFifo, defect, services),
        SourceKind.Http => CreateHttpSource(services),
        SourceKind.Channel => CreateChannelSource(plan.ChannelCapacity, services),
        SourceKind.TcpLines => CreateTcpLinesSource(services),
        _ => CreateBusSource(plan.Concurrency, services),
    };

    private ServiceBusMessageSource CreateBusSource(int calls, SourceServices services)
    {
        ServiceBusSourceOptions options = new() { Queue = "orders", MaxDeliveryCount = 1_000 };
        BusConnection connection = new(_world.Bus, _time);
        return new ServiceBusMessageSource(
            new ServiceBusEntity(new FakeServiceBusClient(connection), new FakeServiceBusClient(connection), options, _time), calls, options, services);
    }

    private SqsMessageSource CreateSqsSource(bool isFifo, Defect defect, SourceServices services)
    {
        SqsSourceOptions options = new() { Queue = QueueModel.Name(isFifo) };
        QueueCalls calls = new(_world, _time, () => IsStopping);
        SqsClient client = new(
            new AwsEndpoint(new Uri("http://sqs.simulated"), "eu-west-1", IsCustom: true),
            new AwsCredentialSource(() => Task.FromResult(Credentials), _time),
            new AwsClock(_time),
            PlantedWire.Wrap(
                new SimulatedWire(_world, _time, _world.Queue, () => _world.QueueFaults, "sqs") { Sending = calls.Sending, Answered = calls.Answered },
                defect == Defect.ConfirmUnsent ? Defect.None : defect, _world.Time),
            _buffers,
            _time,
            new SqsWireOptions());
        return new SqsMessageSource(client, SqsQueueReference.Parse(options.Queue!)!, options, services);
    }

    private HttpMessageSource CreateHttpSource(SourceServices services)
    {
        HttpSourceRegistry registry = new();
        _endpoint = new MessagesEndpoint(registry, new HttpAnswers(_buffers));
        return new HttpMessageSource(services, new HttpSourceOptions(), registry, _buffers);
    }

    private ChannelMessageSource CreateChannelSource(int capacity, SourceServices services)
    {
        ChannelPublishers publishers = new();
        _publisher = publishers.For(services.Route);
        return new ChannelMessageSource(services, new ChannelSourceOptions { Capacity = capacity }, publishers, _buffers);
    }

    private TcpLinesMessageSource CreateTcpLinesSource(SourceServices services) =>
        new(services, new TcpLinesSourceOptions { Acknowledge = true }, _buffers) { Listen = _ => _listener = new LineListener() };

    private IObjectSink Wrap(FaultPlan plan, IObjectSink sink) => plan.SinkFaults > 0 ? new ForeignSink(_world, sink, _time) : sink;

    private IObjectSink Bundle(FaultPlan plan, Defect defect, IObjectSink sink, SinkServices services)
    {
        if (plan.BundleMessages == 0)
        {
            return sink;
        }

        BundlesOptions options = new() { Enabled = true, MaxMessages = plan.BundleMessages, MaxAge = plan.BundleAge };
        return new ObservedBundles(
            new BundlingSink(sink, options, new BundleLimits("archive", plan.Concurrency, plan.Concurrency / 2, MaxPendingBytes: 32 << 20), services), _world,
            defect);
    }

    private void AddIndexing(PipelineBuilder<MessageContext> builder, HandlerServices services)
    {
        CloudFrontOptions options = new()
        {
            Buckets = [LogModel.Bucket],
            Columns = ["n", "text"],
            TimestampField = "None",
            MaxBadRows = LogModel.MaxBad
        };
        CloudFrontHandlerFeature.AddParts(builder, services, options, new LogReader(_world, _time), _buffers);
    }

    private ElasticsearchSink CreateIndex(SinkServices services)
    {
        ElasticsearchSinkOptions options = new()
        {
            Endpoint = ["http://index.simulated"],
            Index = "logs",
            MaxBatchBytes = 64 * 1024,
            MaxBatchDocuments = 10,
            GzipRequests = _world.Random.Next(2) == 0
        };
        SimulatedWire wire = new(_world, _time, _world.Index, () => _world.StoreFaults, "index");
        return new ElasticsearchSink(options, new BulkRequests(options, wire, _time, _buffers), services);
    }

    private IObjectSink CreateSink(FaultPlan plan, Defect defect, SinkServices services)
    {
        if (_disk is not null)
        {
            return new DirectorySink(new DirectorySinkOptions { Path = DiskModel.Objects, Threads = plan.FolderThreads }, services, _disk);
        }

        S3SinkOptions options = new() { Client = S3ClientKind.Auto, Bucket = StoreModel.Bucket };
        BucketAddress address = BucketAddress.Create(StoreModel.Bucket, new S3Endpoint(new Uri("http://s3.simulated"), "eu-west-1", PathStyle: true));
        DirectRequests requests = new(
            options,
            address,
            "eu-west-1",
            new AwsCredentialSource(() => Task.FromResult(Credentials), _time),
            new SimulatedWire(_world, _time, _world.Store, () => _world.StoreFaults, "s3"),
            services,
            _buffers,
            retained: 64);
        return new S3Sink(
            options, defect is Defect.AcceptExistingObject or Defect.BelieveAnyAnswer ? new PlantedRequests(requests, defect) : requests, services);
    }
}
